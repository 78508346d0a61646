/**
 * Remembers what a pure reader returned for the latest texts: one command uses the same file in several places,
 * and each would parse it again. The exact text is the key, so a cached result is never stale.
 */
export function rememberTexts<T, A = undefined>(
  read: (text: string, of: A) => T,
): (text: string, of: A) => T {
  const known = new Map<string, { readonly of: A; readonly value: T }>();
  let chars = 0;
  return (text, of) => {
    const found = known.get(text);
    if (found !== undefined && found.of === of) return found.value;
    const value = read(text, of);
    if (found === undefined) chars += text.length;
    known.set(text, { of, value });
    for (const oldest of known.keys()) {
      if ((known.size <= TEXTS_MAX && chars <= CHARS_MAX) || oldest === text) break;
      known.delete(oldest);
      chars -= oldest.length;
    }
    return value;
  };
}

const TEXTS_MAX = 2_000;
const CHARS_MAX = 2 * 1024 * 1024;
