/**
 * The platform's documented HTTP API (docs/wire). Who signed in is known by two halves together: a cookie that scripts cannot read, and a
 * secret that only this origin's pages can. Browsers send the cookie to every port of the host, so alone it opens nothing.
 */

export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** All that the platform said. */
    readonly body: unknown = null,
  ) {
    super(message);
  }
}

/** The platform was not reached at all, or not in time. */
export class Unreached extends Error {}

const WAIT_MILLIS = 20_000;
/** So long a browser may take to begin with saving what it was given. */
const DOWNLOAD_MILLIS = 60_000;

const SECRET = 'molecule.session';
/** Where nothing can be stored, a session lasts as long as its page. */
let held = '';

/** Keeps this page's half of a session, for all tabs; none forgets it. */
export function keepSecret(secret: string | undefined): void {
  held = secret ?? '';
  try {
    if (held) localStorage.setItem(SECRET, held);
    else localStorage.removeItem(SECRET);
  } catch {
    // then only this page has it
  }
}

function secret(): string {
  try {
    return localStorage.getItem(SECRET) ?? held;
  } catch {
    return held;
  }
}

/** What each request shows besides its cookie. */
export function credentials(): Record<string, string> {
  const known = secret();
  return known ? { 'X-Molecule-CSRF': known } : {};
}

export const headers = (): Record<string, string> => ({ 'Content-Type': 'application/json', ...credentials() });

/** A 2xx answer's JSON; fails with {@link Refused} or {@link Unreached}. */
export async function call<T>(method: string, path: string, body?: unknown, waitMillis = WAIT_MILLIS): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: headers(),
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(waitMillis),
      cache: 'no-store',
    });
  } catch {
    throw new Unreached('The platform does not answer.');
  }
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new Refused(response.status, sentence(response.status, answer), answer);
  return answer as T;
}

/** Saves a file of an agent's: a link would be asked for without this page's half of the session. */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: credentials(), cache: 'no-store' }).catch(() => {
    throw new Unreached('The platform does not answer.');
  });
  if (!response.ok) throw new Refused(response.status, sentence(response.status, await response.json().catch(() => null)));
  const address = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), DOWNLOAD_MILLIS);
}

/** What the platform says about a refusal, in its own words. */
export function sentence(status: number, answer: unknown): string {
  const error = (answer as { error?: unknown } | null)?.error;
  return typeof error === 'string' && error ? error : `The platform answered ${status}.`;
}

export const says = (failure: unknown): string => (failure instanceof Error ? failure.message : String(failure));
