/** Stands for text that is only known when the shell runs, and that may contain slashes. */
export const ANY = "\uE000";
