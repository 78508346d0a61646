/** Many command lines in one process: `[["status"], ...]` on standard input, what each printed on standard output. */
import { main } from "../../dist/surfaces/cli/main.js";
import { err, out } from "../../dist/surfaces/cli/terminal/out.js";

let input = "";
for await (const chunk of process.stdin) input += chunk;
// From here on it writes by the streams, where it can be heard.
for (const one of [out, err]) one.stream().setMaxListeners(0);
const say = process.stdout.write.bind(process.stdout);
const told = [];
for (const words of JSON.parse(input)) {
  let text = "";
  const keep = (chunk) => {
    text += String(chunk);
    return true;
  };
  process.stdout.write = keep;
  process.stderr.write = keep;
  await main(words);
  told.push(text);
}
say(JSON.stringify(told));
