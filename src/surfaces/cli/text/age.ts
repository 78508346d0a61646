/** How long ago something was, in the largest useful unit. */
export function ageOf(at: string, now: string): string {
  const seconds = Math.round((Date.parse(now) - Date.parse(at)) / 1000);
  if (!Number.isFinite(seconds)) return "at an unknown time";
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ["second", 1];
  const count = Math.max(0, Math.floor(seconds / size));
  return count === 0 ? "just now" : `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

/** How long something has lasted. */
export function lastsFor(since: string, now: string): string {
  const age = ageOf(since, now);
  return age.endsWith(" ago") ? `for ${age.slice(0, -4)}` : age;
}

const UNITS: readonly (readonly [string, number])[] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];
