import { call, says } from './api';
import { store } from './store';
import { works, type Task } from './work';
import { clip } from './words';

/** Stopping what agents are at: each task by the message that began it, since only its agent knows its name. */

interface Found {
  result?: { id?: string; task?: { id?: string } };
  error?: { message?: string };
}

/** The agent's own task of a message; null where it knows none. */
export async function taskBegunBy(agentId: string, messageId: string): Promise<{ id: string } | null> {
  const found = await call<Found>('POST', `/workspaces/${agentId}/a2a`, { jsonrpc: '2.0', id: messageId, method: 'molecule/tasks/byMessage', params: { messageId } });
  const id = found.result?.id ?? found.result?.task?.id;
  return typeof id === 'string' ? { id } : null;
}

/** What runs of a piece of work, as it was read last: the oldest first. */
export const runningIn = (workId: string): Task[] => (works.pieces.get(workId)?.tree ?? []).filter((task) => task.state === 'running' || task.state === 'waiting');

/** What others are at in these. */
export const besides = (agentId: string, workIds: string[]): Task[] => workIds.flatMap(runningIn).filter((task) => task.target_id !== agentId);

/** By name, each once. */
export const namesOf = (tasks: Task[]): string[] => [...new Set(tasks.map((task) => task.target_id))].map((id) => clip(store.live.agents.get(id)?.name ?? 'Deleted agent', 40));

/** @returns whose end is not known, each with why */
export async function stopAll(tasks: Task[]): Promise<string[]> {
  const ends = await Promise.all(tasks.map((task) => stop(task).then((why) => (why ? [`${namesOf([task])[0]}: ${why}`] : []))));
  return ends.flat();
}

async function stop({ target_id: agentId, message_id: messageId }: Task): Promise<string> {
  if (!messageId) return 'it cannot be named';
  try {
    const task = await taskBegunBy(agentId, messageId);
    if (!task) return 'it does not know of it';
    const said = await call<Found>('POST', `/workspaces/${agentId}/a2a`, { jsonrpc: '2.0', id: messageId, method: 'tasks/cancel', params: { id: task.id } });
    return said.error?.message ?? '';
  } catch (failure) {
    return says(failure);
  }
}
