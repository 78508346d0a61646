/**
 * The migration that limits what one role can write for everybody: the size of each entry, and for recurring
 * entries also their number and age. Checked by the server, because clients are not the only way in.
 */
import { GENESIS } from "../../../ports/journal.ts";
import { LINE_BYTES_MAX } from "../embedded/line.ts";

export const BLOB_BYTES_MAX: number = 64 * 1024 * 1024;
export const REFUSAL_CHARS_MAX: number = 64 * 1024;

/** A row holds the line without its hash and its surrounding line breaks. */
const SAID_BYTES_MAX = LINE_BYTES_MAX - '\n,"hash":""}\n'.length - GENESIS.hash.length;

export const BOUNDS: string = `
-- With how long a line may be; the rest as it was.
CREATE OR REPLACE VIEW @.appends AS
  SELECT stream, seq, prev, id, try, at, body, hash, command FROM @.lines l
  WHERE json_typeof(id::json) = 'string' AND json_typeof(try::json) = 'string' AND json_typeof(at::json) = 'string'
    AND json_typeof(body::json) = 'object' AND strpos(said, E'\\n') = 0 AND octet_length(said) <= ${SAID_BYTES_MAX}
    AND command = hashtextextended(id, 0)
    AND hash = encode(sha256(convert_to(said || '}', 'UTF8')), 'hex')
    AND EXISTS (SELECT FROM @.events p WHERE p.stream = l.stream AND p.seq = l.seq - 1 AND p.hash = l.prev)
    AND NOT EXISTS (SELECT FROM @.store WHERE moved_to IS NOT NULL)
    AND (current_setting('synchronous_commit') <> 'off' OR set_config('synchronous_commit', 'on', true) = 'on')
  WITH CHECK OPTION;

CREATE FUNCTION @.bound(a_what text, a_size bigint, a_max bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF a_size > a_max THEN
    RAISE EXCEPTION '% of %, and % is the most', a_what, a_size, a_max USING ERRCODE = 'HP002';
  END IF;
END $$;

-- What names something is the digest of its name.
CREATE FUNCTION @.digest(a_text text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF a_text !~ '^[0-9a-f]{64}$' THEN
    RAISE EXCEPTION 'a name that is no digest' USING ERRCODE = 'HP002';
  END IF;
END $$;

ALTER TABLE @.streams ADD CONSTRAINT name_is_short CHECK (octet_length(name) <= 8192) NOT VALID;
ALTER TABLE @.streams ADD CONSTRAINT told_is_short
  CHECK (octet_length(at) <= 1000 AND octet_length(fold) <= 1000 AND octet_length(summary) <= 65536) NOT VALID;
ALTER TABLE @.blobs ADD CONSTRAINT bytes_are_few CHECK (octet_length(bytes) <= ${BLOB_BYTES_MAX}) NOT VALID;

-- Of each stream the last thousand, and no more than four million bytes; of all a hundred thousand, for 400 days.
CREATE OR REPLACE FUNCTION @.note_refusal(a_stream text, a_entry text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM digest(a_stream), bound('a refusal', length(a_entry), ${REFUSAL_CHARS_MAX});
  INSERT INTO refusals (stream, entry) VALUES (a_stream, a_entry);
  DELETE FROM refusals WHERE id IN (SELECT old.id FROM (
    SELECT r.id, row_number() OVER latest AS number, sum(octet_length(r.entry)) OVER latest AS bytes
    FROM refusals r WHERE r.stream = a_stream WINDOW latest AS (ORDER BY r.id DESC)) old
    WHERE old.number > 1000 OR old.bytes > 4000000);
  IF random() < 0.01 THEN
    PERFORM tidy();
  END IF;
END $$;

CREATE OR REPLACE FUNCTION @.beat(a_session text, a_machine text, a_boot text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM digest(a_session), bound('the name of a machine', octet_length(a_machine), 1000),
    bound('the name of a boot', octet_length(a_boot), 1000);
  INSERT INTO beats (session, machine, boot, at) VALUES (a_session, a_machine, a_boot, clock_timestamp())
    ON CONFLICT (session) DO UPDATE SET machine = a_machine, boot = a_boot, at = clock_timestamp();
  IF random() < 0.01 THEN
    PERFORM tidy();
  END IF;
END $$;

-- The oldest go first. Of a session that is forgotten nothing is proven, which holds nobody off.
CREATE FUNCTION @.tidy() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @, pg_temp AS $$
BEGIN
  DELETE FROM refusals WHERE at < clock_timestamp() - interval '400 days'
    OR id <= (SELECT r.id FROM refusals r ORDER BY r.id DESC OFFSET 100000 LIMIT 1);
  DELETE FROM beats WHERE at < clock_timestamp() - interval '90 days'
    OR at < (SELECT b.at FROM beats b ORDER BY b.at DESC OFFSET 9999 LIMIT 1);
END $$;

CREATE OR REPLACE FUNCTION @.take_effect(a_effect text, a_from text, a_by text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @, pg_temp AS $$
BEGIN
  PERFORM digest(a_effect), digest(a_from), bound('the name of a process', octet_length(a_by), 4000),
    bound('a line of takers', (SELECT count(*) FROM takers t WHERE t.effect = a_effect), 1000);
  INSERT INTO takers (effect, taken_from, taken_by) VALUES (a_effect, a_from, a_by) ON CONFLICT DO NOTHING;
  RETURN EXISTS (SELECT FROM takers t WHERE t.effect = a_effect AND t.taken_from = a_from AND t.taken_by = a_by);
END $$;

CREATE OR REPLACE FUNCTION @.keep_attempt(a_effect text, a_seen text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = @, pg_temp AS $$
BEGIN
  PERFORM digest(a_effect), bound('what an attempt saw', octet_length(a_seen), 1000000);
  INSERT INTO attempts (effect, seen) VALUES (a_effect, a_seen)
    ON CONFLICT (effect) DO UPDATE SET seen = a_seen, at = clock_timestamp();
END $$;
`;
