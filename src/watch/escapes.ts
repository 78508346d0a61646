/** The text between `$'` and `'`, in which a letter may be written by its number. */
export function unescaped(body: string): string {
  return body.replaceAll(
    /\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|.)/gs,
    (_, code: string) => {
      if (/^[xuU]./.test(code)) return letter(Number.parseInt(code.slice(1), 16));
      if (/^[0-7]/.test(code)) return letter(Number.parseInt(code, 8));
      return code === "n" ? "\n" : code === "t" ? "\t" : code;
    },
  );
}

const LETTER_MAX = 0x10ffff;

function letter(code: number): string {
  return code > LETTER_MAX ? "" : String.fromCodePoint(code);
}
