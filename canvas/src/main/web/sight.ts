import { store } from './store';
import { talk } from './talk';
import { view } from './view';

/** Tells the platform who is seen: those drawn with their names, who was chosen, and everybody whose conversation was opened here. */
export function see(ids: string[]): void {
  const chosen = [view.selected, view.talkTo].filter((id): id is string => id !== null);
  store.look([...chosen, ...talk.opened, ...ids]);
}
