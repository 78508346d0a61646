/**
 * Remember what a pure reader made of the last few texts. A command asks for the same file in several
 * places, and each would parse it again. The exact text is the key, so that an answer is never stale.
 */
export function rememberTexts<T, A = undefined>(
  read: (text: string, of: A) => T,
): (text: string, of: A) => T {
  const known: { readonly text: string; readonly of: A; readonly value: T }[] = [];
  let chars = 0;
  return (text, of) => {
    const found = known.find((one) => one.of === of && one.text === text);
    if (found !== undefined) return found.value;
    const value = read(text, of);
    known.push({ text, of, value });
    chars += text.length;
    while (known.length > TEXTS_MAX || (chars > CHARS_MAX && known.length > 1)) {
      chars -= known.shift()?.text.length ?? 0;
    }
    return value;
  };
}

const TEXTS_MAX = 16;
const CHARS_MAX = 4 * 1024 * 1024;
