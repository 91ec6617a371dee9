/** The platform's documented HTTP API (docs/wire). Who signed in is known by a cookie that this page can neither read nor keep. */

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

/** The second says that a page of this origin asks, for others cannot send it. */
export const HEADERS: Readonly<Record<string, string>> = { 'Content-Type': 'application/json', 'X-Molecule-CSRF': '1' };

/** A 2xx answer's JSON; fails with {@link Refused} or {@link Unreached}. */
export async function call<T>(method: string, path: string, body?: unknown, waitMillis = WAIT_MILLIS): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: HEADERS,
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

/** What the platform says about a refusal, in its own words. */
export function sentence(status: number, answer: unknown): string {
  const error = (answer as { error?: unknown } | null)?.error;
  return typeof error === 'string' && error ? error : `The platform answered ${status}.`;
}

export const says = (failure: unknown): string => (failure instanceof Error ? failure.message : String(failure));
