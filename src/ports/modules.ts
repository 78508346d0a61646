/** Loads ES modules that a repository brings along: what one exports, or why it cannot be loaded. */
export type LoadModule = (file: string, digest: string, text: string) => Promise<LoadedModule>;

export type LoadedModule =
  | { readonly kind: "loaded"; readonly exports: unknown }
  | { readonly kind: "failed"; readonly message: string; readonly fix: string };
