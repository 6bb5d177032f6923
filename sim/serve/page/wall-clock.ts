/**
 * The page's own clock: when it looks again, and how an instant of the network is written.
 */

/** Between two looks, in milliseconds. */
const LOOK_MS = 1_000;

/** Does something now and then, one time after another has ended, while anybody sees the page. */
export function everyLook(look: () => Promise<void>): void {
  const again = (): void => {
    setTimeout(() => void (document.hidden ? again() : look().finally(again)), LOOK_MS);
  };
  void look().finally(again);
}

/** An instant in Unix milliseconds as people read it, in UTC. */
export function instantText(at: number | bigint): string {
  return new Date(Number(at)).toISOString().replace("T", " ").replace("Z", "");
}

/** The same without its day. */
export function clockText(at: number | bigint): string {
  return instantText(at).slice(11);
}

/** The instant that a field of date and time holds, read as UTC; nothing where it holds none. */
export function instantOf(text: string): number | undefined {
  const at = Date.parse(`${text}Z`);
  return Number.isNaN(at) ? undefined : at;
}
