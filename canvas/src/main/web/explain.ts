import { html, nothing, type TemplateResult } from 'lit';
import { call } from './api';
import { branchOf } from './organisation';
import type { Agent } from './model';
import { forget, read } from './readings';
import { treeIn } from './census';
import { store } from './store';
import { clip } from './words';

/** Which rule lets a message through or refuses it, in the platform's own sentence (`GET /explain`). */
interface Explanation {
  allowed: boolean;
  rule: string;
  says: string;
}

const CHOICES = 1_000;
const SAYS_MAX = 400;

const pathOf = (caller: string, target: string): string => `/explain?caller=${caller}&target=${target}`;

/** Why the platform refuses what a person just sent; empty where it says no more than that, or cannot be asked. */
export async function whyRefused(target: string): Promise<string> {
  const told = await call<Explanation>('GET', pathOf('person', target)).catch(() => null);
  return told && !told.allowed ? sentenceOf(told) : '';
}

const sentenceOf = ({ says }: Explanation): string => {
  const words = clip(says ?? '', SAYS_MAX);
  return words && words[0]!.toLocaleUpperCase() + words.slice(1) + (/[.!?…]$/.test(words) ? '' : '.');
};

let asked = { agentId: '', other: '', open: false };

/** Of an agent: whether it reaches another, and why. Whom it may be asked of is listed only while somebody looks. */
export function drawExplain(agent: Agent): TemplateResult {
  if (asked.agentId !== agent.id) asked = { agentId: agent.id, other: '', open: false };
  const reading = asked.open && asked.other ? read<Explanation>(pathOf(agent.id, asked.other)) : null;
  const told = reading?.value;
  return html`<details class="explain" ?open=${asked.open} @toggle=${(event: Event) => { asked.open = (event.currentTarget as HTMLDetailsElement).open; store.changed(); }}><summary>Check access…</summary>
    ${asked.open ? html`<select aria-label="Agent to check" ?disabled=${!!store.past} @change=${(event: Event) => {
      asked.other = (event.target as HTMLSelectElement).value;
      forget(pathOf(agent.id, asked.other));
    }}>
      <option value="" .selected=${!asked.other}>choose an agent</option>
      ${othersThan(agent).map((one) => html`<option value=${one.id} .selected=${one.id === asked.other}>${clip(one.name, 60)}${one.role ? ` — ${clip(one.role, 40)}` : ''}</option>`)}
    </select>` : nothing}
    ${reading ? html`<p role="status" dir="auto">${told ? html`<b>${told.allowed ? 'Yes.' : 'No.'}</b> ${sentenceOf(told)}` : reading.note}</p>` : nothing}
  </details>`;
}

function othersThan(agent: Agent): Agent[] {
  const tree = treeIn(store.org);
  return tree.roots.flatMap((root) => branchOf(tree, root)).filter((one) => one.id !== agent.id).slice(0, CHOICES);
}
