/** Blobs as rows, by the digest of their bytes. Never changed, never deleted. */
import { createHash } from "node:crypto";
import type { Blobs } from "../../../ports/blobs.ts";
import { BLOB_BYTES_MAX } from "./bounds.ts";
import type { Database } from "./database.ts";
import { readBlob } from "./lines.ts";

/** From this size on, asks whether the blob exists before sending it. */
const ASK_BYTES = 16 * 1024;

export function createBlobs(database: Database): Blobs {
  return {
    put: async (content) => {
      const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
      if (bytes.length > BLOB_BYTES_MAX)
        throw new RangeError(
          `cannot keep ${bytes.length} bytes in one blob: the limit is ${BLOB_BYTES_MAX}`,
        );
      const hex = createHash("sha256").update(bytes).digest("hex");
      if (bytes.length >= ASK_BYTES && (await database.query(WHOLE, [hex])).length > 0) return hex;
      await database.query("SELECT @.put_blob($1)", [Buffer.from(bytes)]);
      return hex;
    },
    get: async (hex) => {
      const [row] = await database.query("SELECT bytes FROM @.blobs WHERE hash = $1", [hex]);
      const bytes = row?.["bytes"];
      return readBlob(hex, Buffer.isBuffer(bytes) ? bytes : undefined);
    },
  };
}

/**
 * Keeps a copy in this clone's files: installed texts are read with every command, and while the server is
 * unreachable. The digest proves the content, wherever it comes from.
 */
export function withCopies(shared: Blobs, own: Blobs): Blobs {
  return {
    put: async (content) => {
      const hex = await shared.put(content);
      // The server has it, so a copy that cannot be written is not an error.
      await own.put(content).catch(() => undefined);
      return hex;
    },
    get: async (hex) => {
      const copy = await own.get(hex).catch(() => undefined);
      return copy?.kind === "found" ? copy : await shared.get(hex);
    },
  };
}

const WHOLE = "SELECT FROM @.blobs WHERE hash = $1 AND encode(sha256(bytes), 'hex') = $1";
