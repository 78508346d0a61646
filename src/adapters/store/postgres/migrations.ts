/**
 * The tables and functions in PostgreSQL, as steps in order. A step that was released is never changed: what it made is
 * out there. `@` stands for the schema.
 *
 * Whoever works with the store may look at everything and call the functions; only they write, with the rights of the
 * schema's owner. No role but the owner can change or remove an event.
 */
import { GENESIS } from "../../../ports/journal.ts";
import { LEAN } from "./lean.ts";

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

const JOURNAL = `
CREATE TABLE @.store (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  project text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now(),
  moved_to text
);

-- One row for each stream: its head, and the lock of whoever appends. No index holds what changes, so that an append
-- leaves the indexes alone. Names and ids are JSON texts: they may hold what a text of PostgreSQL cannot.
CREATE TABLE @.streams (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE,
  name text NOT NULL,
  seq bigint NOT NULL,
  hash text NOT NULL,
  at text NOT NULL,
  fold text,
  summary text,
  moved xid8 NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE @.events (
  stream bigint NOT NULL,
  seq bigint NOT NULL,
  id text NOT NULL,
  line text NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (stream, seq)
);
CREATE INDEX events_by_id ON @.events (stream, hashtextextended(id, 0));

CREATE TABLE @.blobs (
  hash text PRIMARY KEY,
  bytes bytea NOT NULL
);

-- kind: appended | repeated (line is the record's) | conflict (seq and hash are the head's) | moved (line says where to)
-- An append that fits is one statement: the head moves only from where it is expected, and its row is the lock.
CREATE FUNCTION @.append(
  a_key text, a_name text, a_seq bigint, a_hash text, a_id text, a_at text, a_line text, a_fold text, a_summary text,
  OUT kind text, OUT seq bigint, OUT hash text, OUT line text
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = @, pg_temp AS $$
DECLARE
  head streams;
  genesis constant text := '${GENESIS.hash}';
  made constant text := left(right(a_line, 66), 64);
BEGIN
  -- What is acknowledged is on the disk, whatever the server is set to.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  IF a_seq = 0 AND a_hash = genesis AND a_line <> '' THEN
    IF a_key <> encode(sha256(convert_to(a_name, 'UTF8')), 'hex') THEN
      RAISE EXCEPTION 'the key is not that of the name' USING ERRCODE = 'data_exception';
    END IF;
    INSERT INTO streams (key, name, seq, hash, at, moved)
      SELECT a_key, a_name, 0, genesis, a_at, pg_current_xact_id() WHERE NOT EXISTS (SELECT FROM store WHERE moved_to IS NOT NULL)
      ON CONFLICT (key) DO NOTHING;
  END IF;
  -- What is not a record that follows would break the stream for everybody.
  IF a_line <> '' AND (NOT starts_with(a_line, '{"seq":' || a_seq + 1 || ',"prev":"' || a_hash || '","id":' || a_id || ',')
    OR right(a_line, 75) <> ',"hash":"' || encode(sha256(convert_to(left(a_line, -75) || '}', 'UTF8')), 'hex') || '"}') THEN
    RAISE EXCEPTION 'the line does not follow record %', a_seq USING ERRCODE = 'data_exception';
  END IF;
  WITH moved AS (
    UPDATE streams s SET seq = a_seq + 1, hash = made, at = a_at, fold = a_fold, summary = a_summary, moved = pg_current_xact_id()
      WHERE s.key = a_key AND s.seq = a_seq AND s.hash = a_hash AND a_line <> ''
        AND NOT EXISTS (SELECT FROM store WHERE moved_to IS NOT NULL)
        AND NOT EXISTS (SELECT FROM events e
          WHERE e.stream = s.id AND hashtextextended(e.id, 0) = hashtextextended(a_id, 0) AND e.id = a_id)
      RETURNING s.id
  )
  INSERT INTO events (stream, seq, id, line) SELECT moved.id, a_seq + 1, a_id, a_line FROM moved;
  IF FOUND THEN
    kind := 'appended';
    seq := a_seq + 1;
    hash := made;
    RETURN;
  END IF;
  -- Nothing was written but perhaps the lock of a row; nobody needs that on the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT moved_to INTO line FROM store WHERE moved_to IS NOT NULL;
  IF FOUND THEN
    kind := 'moved';
    RETURN;
  END IF;
  SELECT * INTO head FROM streams s WHERE s.key = a_key;
  SELECT e.seq, e.line INTO seq, line FROM events e
    WHERE e.stream = head.id AND hashtextextended(e.id, 0) = hashtextextended(a_id, 0) AND e.id = a_id;
  IF FOUND THEN
    kind := 'repeated';
    RETURN;
  END IF;
  kind := 'conflict';
  seq := coalesce(head.seq, 0);
  hash := coalesce(head.hash, genesis);
END $$;

CREATE FUNCTION @.put_blob(a_bytes bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @, pg_temp AS $$
DECLARE
  name constant text := encode(sha256(a_bytes), 'hex');
BEGIN
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  IF EXISTS (SELECT FROM store WHERE moved_to IS NOT NULL) THEN
    RAISE EXCEPTION 'the store has moved' USING ERRCODE = 'HP001';
  END IF;
  -- One that was damaged is written again: the caller holds the right bytes, and may be the last who does.
  INSERT INTO blobs AS b (hash, bytes) VALUES (name, a_bytes)
    ON CONFLICT (hash) DO UPDATE SET bytes = excluded.bytes WHERE b.bytes <> excluded.bytes;
  RETURN name;
END $$;
`;

const BESIDE = `
-- What agents were refused, so many for each stream: the oldest go first.
CREATE TABLE @.refusals (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  stream text NOT NULL,
  entry text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX refusals_by_stream ON @.refusals (stream, id);

CREATE FUNCTION @.note_refusal(a_stream text, a_entry text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @, pg_temp AS $$
BEGIN
  -- Nobody waits for the disk: lost with the power, it changes nothing.
  PERFORM set_config('synchronous_commit', 'off', true);
  IF length(a_entry) > 262144 THEN
    RAISE EXCEPTION 'a refusal of % characters', length(a_entry) USING ERRCODE = 'data_exception';
  END IF;
  INSERT INTO refusals (stream, entry) VALUES (a_stream, a_entry);
  DELETE FROM refusals WHERE stream = a_stream AND id <=
    (SELECT r.id FROM refusals r WHERE r.stream = a_stream ORDER BY r.id DESC OFFSET 1000 LIMIT 1);
END $$;

-- Signs of life, by the clock of the server alone.
CREATE TABLE @.beats (
  session text PRIMARY KEY,
  machine text NOT NULL,
  boot text,
  at timestamptz NOT NULL
);

CREATE FUNCTION @.beat(a_session text, a_machine text, a_boot text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO beats (session, machine, boot, at) VALUES (a_session, a_machine, a_boot, clock_timestamp())
    ON CONFLICT (session) DO UPDATE SET machine = a_machine, boot = a_boot, at = clock_timestamp();
  IF random() < 0.01 THEN
    DELETE FROM beats WHERE at < clock_timestamp() - interval '90 days';
  END IF;
END $$;

-- Who took an effect over from whom, and what an attempt saw before it began.
CREATE TABLE @.takers (
  effect text NOT NULL,
  taken_from text NOT NULL,
  taken_by text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (effect, taken_from)
);
CREATE TABLE @.attempts (
  effect text PRIMARY KEY,
  seen text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE FUNCTION @.take_effect(a_effect text, a_from text, a_by text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @, pg_temp AS $$
BEGIN
  INSERT INTO takers (effect, taken_from, taken_by) VALUES (a_effect, a_from, a_by) ON CONFLICT DO NOTHING;
  -- Asked again after the connection was lost: it is the taker's all the same.
  RETURN EXISTS (SELECT FROM takers t WHERE t.effect = a_effect AND t.taken_from = a_from AND t.taken_by = a_by);
END $$;

CREATE FUNCTION @.keep_attempt(a_effect text, a_seen text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = @, pg_temp AS $$
  INSERT INTO attempts (effect, seen) VALUES (a_effect, a_seen)
    ON CONFLICT (effect) DO UPDATE SET seen = a_seen, at = clock_timestamp();
$$;

CREATE FUNCTION @.forget_effect(a_effect text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = @, pg_temp AS $$
  DELETE FROM takers WHERE effect = a_effect;
  DELETE FROM attempts WHERE effect = a_effect;
$$;
`;

export const MIGRATIONS: readonly Migration[] = [
  { name: "journal", sql: JOURNAL },
  { name: "beside", sql: BESIDE },
  { name: "lean", sql: LEAN },
];

/** Rights of the role that people and agents work with. Given again after every migration. */
export const GRANTS = `
REVOKE ALL ON ALL TABLES IN SCHEMA @ FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA @ FROM PUBLIC;
`;

export const GRANTS_FOR = `
GRANT USAGE ON SCHEMA @ TO $ROLE;
GRANT SELECT ON ALL TABLES IN SCHEMA @ TO $ROLE;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA @ TO $ROLE;
`;
