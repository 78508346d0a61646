/** Standard input and output: one message per line, and nothing else on standard output. */
import { Transform } from "node:stream";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";

/** A report has at most 4 MB; a message of more than twice that is a mistake. */
export const MESSAGE_BYTES_MAX: number = 8 * 1024 * 1024;

/** Nothing here changes that a client could subscribe to, so few subscriptions are enough. */
export const SUBSCRIPTIONS_MAX = 16;

/** Serves until the client closes its end or the process is told to stop. */
export async function overStdio(factory: McpServerFactory, stopped: Promise<void>): Promise<void> {
  const lines = boundedLines((id) => process.stdout.write(`${tooLong(id)}\n`));
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) lines.once(event, () => resolve());
    process.stdout.once("error", () => resolve());
  });
  const transport = new StdioServerTransport(lines, process.stdout, {
    maxBufferSize: 2 * MESSAGE_BYTES_MAX,
  });
  const handle = serveStdio(factory, { transport, maxSubscriptions: SUBSCRIPTIONS_MAX });
  process.stdin.pipe(lines);
  process.stdin.once("error", () => lines.end());
  await Promise.race([ended, stopped]);
  process.stdin.unpipe(lines);
  process.stdin.destroy();
  await handle.close();
}

function tooLong(id: string): string {
  const message = `A message has at most ${MESSAGE_BYTES_MAX} bytes`;
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"${message}"}}`;
}

const NEWLINE = 0x0a;

/** Passes lines on as they come. A line that is too long is reported and skipped, never stored. */
function boundedLines(tell: (id: string) => void): Transform {
  let length = 0;
  let head = "";
  let tail = "";
  const kept: Buffer[] = [];
  const endLine = (out: Transform): void => {
    if (length > MESSAGE_BYTES_MAX) tell(idIn(head, tail));
    else if (length > 0) out.push(Buffer.concat([...kept, Buffer.from("\n")]));
    kept.length = 0;
    length = 0;
    head = "";
    tail = "";
  };
  return new Transform({
    transform(chunk: Buffer, _, done) {
      for (let at = 0; at < chunk.length;) {
        const end = chunk.indexOf(NEWLINE, at);
        const piece = chunk.subarray(at, end < 0 ? chunk.length : end);
        length += piece.length;
        if (length <= MESSAGE_BYTES_MAX) kept.push(piece);
        else kept.length = 0;
        if (head.length < ID_CHARS) head += piece.toString("latin1", 0, ID_CHARS);
        tail = (tail + piece.toString("latin1", Math.max(0, piece.length - ID_CHARS))).slice(
          -ID_CHARS,
        );
        at = end < 0 ? chunk.length : end + 1;
        if (end >= 0) endLine(this);
      }
      done();
    },
    flush(done) {
      endLine(this);
      done();
    },
  });
}

const ID_CHARS = 120;
const ID = '"id":\\s*("[\\w-]{1,64}"|\\d{1,15})';

/** The id of a message that is too long, if it is its first or last member: the sender waits for an answer. */
function idIn(head: string, tail: string): string {
  const first = new RegExp(`^\\s*\\{(?:"jsonrpc":\\s*"2.0",\\s*)?${ID}`).exec(head);
  const last = new RegExp(`,\\s*${ID}\\s*\\}\\s*$`).exec(tail);
  return first?.[1] ?? last?.[1] ?? "null";
}
