import { credentials, Refused, Unreached, sentence } from './api';

/** Files that go along with a message, and those that an answer names. */

export interface ChatFile {
  uri: string;
  name: string;
  mimeType?: string;
}

const FILES_MAX = 20;
const UPLOAD_MILLIS = 120_000;

/** Those in the parts of a message or an artifact, of either version of the protocol. */
export function filesIn(parts: unknown): ChatFile[] {
  if (!Array.isArray(parts)) return [];
  return parts.slice(0, 500).flatMap((part: Record<string, unknown> | null) => {
    const file = (part?.['file'] ?? {}) as Record<string, unknown>;
    const uri = file['uri'] ?? part?.['url'];
    const name = file['name'] ?? part?.['filename'];
    return typeof uri === 'string' && uri ? [{ uri, name: typeof name === 'string' && name ? name : uri.split('/').at(-1)! }] : [];
  }).slice(0, FILES_MAX);
}

/** In an answer, a task or an update of one, wherever its files are. */
export function filesOf(told: unknown): ChatFile[] {
  const root = ((told as { result?: unknown } | null)?.result ?? told) as Record<string, unknown> | null;
  if (!root || typeof root !== 'object') return [];
  const inside = (root['task'] ?? root['message'] ?? root['artifactUpdate'] ?? root['statusUpdate'] ?? root) as Record<string, unknown>;
  const artifacts = [...(Array.isArray(inside['artifacts']) ? (inside['artifacts'] as { parts?: unknown }[]) : []), inside['artifact'] as { parts?: unknown } | undefined];
  return merged(filesIn(inside['parts']), artifacts.flatMap((one) => filesIn(one?.parts)));
}

/** Each once. */
export function merged(before: ChatFile[] | undefined, more: ChatFile[]): ChatFile[] {
  const all = new Map([...(before ?? []), ...more].map((file) => [file.uri, file]));
  return [...all.values()].slice(0, FILES_MAX);
}

/** Puts them where their agent finds them; fails as {@link call} does. */
export async function upload(agentId: string, files: File[]): Promise<ChatFile[]> {
  const form = new FormData();
  for (const file of files.slice(0, FILES_MAX)) form.append('files', file, file.name);
  const response = await fetch(`/workspaces/${agentId}/chat/uploads`, { method: 'POST', headers: credentials(), body: form, signal: AbortSignal.timeout(UPLOAD_MILLIS) }).catch(() => {
    throw new Unreached('The files did not arrive: the platform does not answer.');
  });
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new Refused(response.status, sentence(response.status, answer), answer);
  return (answer as { files: ChatFile[] }).files;
}
