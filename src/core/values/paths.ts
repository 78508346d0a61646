/**
 * The form of a path used in facts: `./src//a.ts` and `src/a.ts` are one file. A path that leaves the tree is
 * returned unchanged, so that it matches no file.
 */
export function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return path;
  }
  return path.startsWith("/") ? path : parts.join("/");
}

/** The same for a path that may be absolute, given the root of the tree. */
export function pathIn(root: string, path: string): string {
  const inside = path === root || path.startsWith(`${root}/`);
  return plainPath(inside ? path.slice(root.length + 1) : path);
}
