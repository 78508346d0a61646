/** Splits lists of paths into portions that fit on one command line. */
export function* inPortions(paths: readonly string[]): Generator<readonly string[]> {
  let portion: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    bytes += Buffer.byteLength(path) + 1;
    if (portion.length > 0 && bytes > ARGUMENT_BYTES_MAX) {
      yield portion;
      portion = [];
      bytes = Buffer.byteLength(path) + 1;
    }
    portion.push(path);
  }
  if (portion.length > 0) yield portion;
}

const ARGUMENT_BYTES_MAX = 64 * 1024;
