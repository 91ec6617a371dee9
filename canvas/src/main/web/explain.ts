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

let asked = { agentId: '', other: '' };

/** Of an agent: whether it reaches another, and why. */
export function drawExplain(agent: Agent): TemplateResult {
  if (asked.agentId !== agent.id) asked = { agentId: agent.id, other: '' };
  const tree = treeIn(store.org);
  const others = tree.roots.flatMap((root) => branchOf(tree, root)).filter((one) => one.id !== agent.id);
  const reading = asked.other ? read<Explanation>(pathOf(agent.id, asked.other)) : null;
  const told = reading?.value;
  return html`<details class="explain"><summary>May it write to…</summary>
    <select aria-label="Whom it would write to" ?disabled=${!!store.past} @change=${(event: Event) => {
      asked = { agentId: agent.id, other: (event.target as HTMLSelectElement).value };
      forget(pathOf(agent.id, asked.other));
    }}>
      <option value="" .selected=${!asked.other}>choose an agent</option>
      ${others.slice(0, CHOICES).map((one) => html`<option value=${one.id} .selected=${one.id === asked.other}>${clip(one.name, 60)}${one.role ? ` — ${clip(one.role, 40)}` : ''}</option>`)}
    </select>
    ${reading ? html`<p role="status" dir="auto">${told ? html`<b>${told.allowed ? 'Yes.' : 'No.'}</b> ${sentenceOf(told)}` : reading.note}</p>` : nothing}
  </details>`;
}
