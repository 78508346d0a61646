/** Stands for a text that only a running shell knows, slashes included. */
export const ANY = "\uE000";
