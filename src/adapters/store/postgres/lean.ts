import { GENESIS } from "../../../ports/journal.ts";

/**
 * An append is one row more, and nothing else is changed by it. The row of a stream, which had moved with each, keeps what
 * was last told of it: for lists, and as a witness of how long it was.
 */
export const LEAN: string = `
DROP FUNCTION @.append(text, text, bigint, text, text, text, text, text, text);
DROP INDEX @.events_by_id;
ALTER TABLE @.streams DROP COLUMN moved;
ALTER TABLE @.events ADD COLUMN moved xid8 NOT NULL DEFAULT pg_current_xact_id();
-- A column of its own: an expression in an index costs more than all the rest of writing it.
ALTER TABLE @.events ADD COLUMN command bigint;
UPDATE @.events SET command = hashtextextended(id, 0);
ALTER TABLE @.events ALTER COLUMN command SET NOT NULL;
CREATE UNIQUE INDEX events_by_command ON @.events (stream, command);
CREATE INDEX events_by_move ON @.events (moved);

-- The number of a stream, made if there is none; nothing if it has a past that is gone, or if the store has moved.
CREATE FUNCTION @.begin_stream(a_key text, a_name text) RETURNS bigint
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = @, pg_temp AS $$
BEGIN
  PERFORM pg_current_xact_id();
  IF a_key <> encode(sha256(convert_to(a_name, 'UTF8')), 'hex') THEN
    RAISE EXCEPTION 'the key is not that of the name' USING ERRCODE = 'data_exception';
  END IF;
  INSERT INTO streams (key, name, seq, hash, at)
    SELECT a_key, a_name, 0, '${GENESIS.hash}', '' WHERE NOT EXISTS (SELECT FROM store WHERE moved_to IS NOT NULL)
    ON CONFLICT (key) DO NOTHING;
  RETURN (SELECT s.id FROM streams s WHERE s.key = a_key AND s.seq = 0);
END $$;

-- Whether it was appended. The line is put together here: whatever is said, it follows, its hash fits, and it can be read.
-- Of two at once the second waits for the first, and fails as a duplicate.
CREATE FUNCTION @.append(
  a_stream bigint, a_seq bigint, a_hash text, a_id text, a_try text, a_at text, a_body text
) RETURNS boolean LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = @, pg_temp AS $$
DECLARE
  -- Drawn before anything is looked at: whoever does not see that the store has moved can then be waited for.
  number constant xid8 := pg_current_xact_id();
  made constant text := '{"seq":' || a_seq + 1 || ',"prev":"' || a_hash || '","id":' || a_id || ',"try":' || a_try
    || ',"at":' || a_at || ',"body":' || a_body;
  last_seq bigint;
  last_hash text;
BEGIN
  -- What is acknowledged is on the disk, whatever the server is set to.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  IF left(a_body, 1) <> '{' OR left(a_id, 1) <> '"' OR left(a_try, 1) <> '"' OR left(a_at, 1) <> '"'
    OR a_body::json IS NULL OR a_id::json IS NULL OR a_try::json IS NULL OR a_at::json IS NULL THEN
    RAISE EXCEPTION 'no record has such members' USING ERRCODE = 'data_exception';
  END IF;
  IF a_seq > 0 THEN
    SELECT e.seq, left(right(e.line, 66), 64) INTO last_seq, last_hash FROM events e
      WHERE e.stream = a_stream AND NOT EXISTS (SELECT FROM store WHERE moved_to IS NOT NULL)
      ORDER BY e.seq DESC LIMIT 1;
  ELSE
    SELECT 0, s.hash INTO last_seq, last_hash FROM streams s
      WHERE s.id = a_stream AND s.seq = 0 AND NOT EXISTS (SELECT FROM store WHERE moved_to IS NOT NULL)
        AND NOT EXISTS (SELECT FROM events e WHERE e.stream = a_stream);
  END IF;
  IF last_seq = a_seq AND last_hash = a_hash THEN
    INSERT INTO events (stream, seq, id, command, line, moved)
      VALUES (a_stream, a_seq + 1, a_id, hashtextextended(a_id, 0), made || ',"hash":"' || encode(sha256(convert_to(made || '}', 'UTF8')), 'hex') || '"}', number);
    RETURN true;
  END IF;
  RETURN false;
END $$;

-- What lists say of a stream, at a record that it has. Nobody waits for the disk: a list that finds less reads the stream.
CREATE FUNCTION @.tell(a_stream bigint, a_seq bigint, a_hash text, a_at text, a_fold text, a_summary text) RETURNS void
LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = @, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE streams s SET seq = a_seq, hash = a_hash, at = a_at, fold = a_fold, summary = a_summary
    WHERE s.id = a_stream AND s.seq < a_seq AND EXISTS (SELECT FROM events e
      WHERE e.stream = a_stream AND e.seq = a_seq AND left(right(e.line, 66), 64) = a_hash);
END $$;
`;
