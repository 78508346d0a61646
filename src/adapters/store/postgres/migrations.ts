/**
 * The tables and functions in PostgreSQL, as migrations in order. A released step is never changed, because
 * databases already have its result. `@` stands for the schema.
 * Roles that use the store may read everything, append through the view, and call the functions, which write with
 * the owner's rights. Only the owner can change or remove an event.
 */
import { GENESIS } from "../../../ports/journal.ts";
import { BOUNDS } from "./bounds.ts";

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

-- Names and ids are JSON texts: they may hold what a text of PostgreSQL cannot. The rest is what was last told of a stream:
-- for lists, and as a witness of how long it was.
CREATE TABLE @.streams (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE,
  name text NOT NULL,
  seq bigint NOT NULL DEFAULT 0,
  hash text NOT NULL DEFAULT '${GENESIS.hash}',
  at text NOT NULL DEFAULT '',
  fold text,
  summary text
) WITH (fillfactor = 50);

-- What a record's line is made of. Record 0 of a stream is what its first one follows, and no record.
CREATE TABLE @.events (
  stream bigint NOT NULL,
  seq bigint NOT NULL,
  prev text NOT NULL,
  id text NOT NULL,
  try text NOT NULL,
  at text NOT NULL,
  body text NOT NULL,
  hash text NOT NULL,
  -- A column of its own: an expression in an index costs more than all the rest of writing it.
  command bigint NOT NULL,
  moved xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (stream, seq)
);
CREATE UNIQUE INDEX events_by_command ON @.events (stream, command);
CREATE INDEX events_by_move ON @.events (moved);

CREATE VIEW @.lines AS
  SELECT stream, seq, prev, id, try, at, body, hash, command, moved,
    format('{"seq":%s,"prev":"%s","id":%s,"try":%s,"at":%s,"body":%s', seq, prev, id, try, at, body) AS said
  FROM @.events;

-- An append is one row into this view, and nobody writes past it: whatever is said, it follows, its hash fits and its line can
-- be read. Of two at once the second waits for the first, and fails as a duplicate. A function that checks the same takes
-- half as long again, and constraints take longer still: they are read anew for each row.
CREATE VIEW @.appends AS
  SELECT stream, seq, prev, id, try, at, body, hash, command FROM @.lines l
  WHERE json_typeof(id::json) = 'string' AND json_typeof(try::json) = 'string' AND json_typeof(at::json) = 'string'
    AND json_typeof(body::json) = 'object' AND strpos(said, E'\\n') = 0
    AND command = hashtextextended(id, 0)
    AND hash = encode(sha256(convert_to(said || '}', 'UTF8')), 'hex')
    AND EXISTS (SELECT FROM @.events p WHERE p.stream = l.stream AND p.seq = l.seq - 1 AND p.hash = l.prev)
    AND NOT EXISTS (SELECT FROM @.store WHERE moved_to IS NOT NULL)
    -- What is acknowledged is on the disk, whatever the server is set to.
    AND (current_setting('synchronous_commit') <> 'off' OR set_config('synchronous_commit', 'on', true) = 'on')
  WITH CHECK OPTION;

-- The first record of a stream, which is made if there is none. Answers its number.
CREATE FUNCTION @.begin_stream(a_key text, a_name text, a_id text, a_try text, a_at text, a_body text, a_hash text) RETURNS bigint
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = @, pg_temp AS $$
DECLARE
  number bigint;
BEGIN
  IF a_key <> encode(sha256(convert_to(a_name, 'UTF8')), 'hex') THEN
    RAISE EXCEPTION 'the key is not that of the name' USING ERRCODE = 'data_exception';
  END IF;
  INSERT INTO streams AS s (key, name) VALUES (a_key, a_name) ON CONFLICT (key) DO NOTHING RETURNING s.id INTO number;
  IF FOUND THEN
    INSERT INTO events (stream, seq, prev, id, try, at, body, hash, command) VALUES (number, 0, '', '', '', '', '', '${GENESIS.hash}', 0);
  ELSE
    SELECT s.id INTO number FROM streams s WHERE s.key = a_key;
  END IF;
  INSERT INTO appends (stream, seq, prev, id, try, at, body, hash, command)
    VALUES (number, 1, '${GENESIS.hash}', a_id, a_try, a_at, a_body, a_hash, hashtextextended(a_id, 0));
  RETURN number;
END $$;

-- What lists say of a stream, at a record that it has. Nobody waits for the disk: a list that finds less reads the stream.
CREATE FUNCTION @.tell(a_stream bigint, a_seq bigint, a_hash text, a_at text, a_fold text, a_summary text) RETURNS void
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = @, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE streams s SET seq = a_seq, hash = a_hash, at = a_at, fold = a_fold, summary = a_summary
    WHERE s.id = a_stream AND s.seq < a_seq
      AND EXISTS (SELECT FROM events e WHERE e.stream = a_stream AND e.seq = a_seq AND e.hash = a_hash);
END $$;

CREATE TABLE @.blobs (
  hash text PRIMARY KEY,
  bytes bytea NOT NULL
);

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
  { name: "bounds", sql: BOUNDS },
];

/** Rights of the role that people and agents use, granted again after every migration. */
export const GRANTS = `
REVOKE ALL ON ALL TABLES IN SCHEMA @ FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA @ FROM PUBLIC;
`;

export const GRANTS_FOR = `
GRANT USAGE ON SCHEMA @ TO $ROLE;
GRANT SELECT ON ALL TABLES IN SCHEMA @ TO $ROLE;
GRANT INSERT ON @.appends TO $ROLE;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA @ TO $ROLE;
`;
