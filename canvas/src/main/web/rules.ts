import { html, nothing, type TemplateResult } from 'lit';
import { call } from './api';
import { treeIn } from './census';
import { change, isChanging, rows, submitted } from './forms';
import { holdButton } from './hold';
import type { Agent } from './model';
import { branchOf } from './organisation';
import { leads } from './owners';
import { forget, read } from './readings';
import { mayAct, seesAll } from './rights';
import { store } from './store';
import { look } from './view';
import { asWritten, clip, count } from './words';

/** What agents are told at the beginning of every prompt: all of them, a team, or one (docs/wire/registry.md, House rules). */

interface Rule {
  id: string;
  scope: 'global' | 'team' | 'workspace';
  scope_target: string | null;
  title: string;
  content: string;
  priority: number;
  enabled: boolean;
}

const PATH = '/instructions';
const TITLE_MAX = 200;
const CONTENT_MAX = 8_192;
const SHOWN_MAX = 600;
/** Of more agents nobody chooses from a list. */
const CHOICES = 1_000;
const SCOPES = ['global', 'team', 'workspace'];

/** The rule that is being changed. */
let open = '';

const nameOf = (id: string | null): string => clip(store.live.agents.get(id ?? '')?.name ?? 'an agent that is gone', 60);

const whoseWords = ({ scope, scope_target: target }: Rule): string => (scope === 'global' ? 'for everybody' : scope === 'team' ? `for the team of ${nameOf(target)}` : `for ${nameOf(target)} alone`);

/** What changed holds for whoever reads it under another path, too. */
async function keep(what: () => Promise<unknown>, done: string, form?: HTMLFormElement): Promise<void> {
  await change(PATH, what, done, form);
  forget('/workspaces/');
}

export function drawRules(): TemplateResult {
  const reading = read<Rule[]>(PATH);
  const acts = mayAct() && !store.past;
  const all = Array.isArray(reading.value) ? [...reading.value].sort((a, b) => SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope) || b.priority - a.priority) : null;
  return html`<section class="rules" aria-label="Instructions"><h3>Instructions</h3>
    <p class="none">Every agent reads them at the beginning of its prompt, in this order: for everybody, for its teams, for itself.</p>
    ${rows({ value: all, note: reading.note }, 'No instructions yet. Add the first one.', (rule) => drawRule(rule, acts))}
    ${acts ? html`<details class="more"><summary>Add instruction</summary><fieldset ?disabled=${isChanging()}>${drawForm(null)}</fieldset></details>` : nothing}
  </section>`;
}

function drawRule(rule: Rule, acts: boolean): TemplateResult {
  const here = `${PATH}/${rule.id}`;
  const title = clip(rule.title, 80);
  const leave = (): void => { open = ''; store.changed(); };
  if (acts && open === rule.id) {
    return html`<li class="opened"><fieldset ?disabled=${isChanging()}>${drawForm(rule, leave)}</fieldset></li>`;
  }
  return html`<li class=${rule.enabled ? '' : 'off'}>
    <div class="about-it"><b dir="auto">${title}</b> <span class="none">${whoseWords(rule)}${rule.priority ? `, before others (${rule.priority})` : ''}${rule.enabled ? '' : ', disabled'}</span>
      <p class="words" dir="auto">${asWritten(rule.content, SHOWN_MAX)}${rule.content.length > SHOWN_MAX ? '…' : ''}</p></div>
    ${acts ? html`<div class="buttons">
      <button aria-label="Change ${title}" @click=${() => { open = rule.id; store.changed(); }}>Change</button>
      <button aria-label="${rule.enabled ? 'Disable' : 'Enable'} ${title}" ?disabled=${isChanging()} @click=${() => void keep(() => call('PUT', here, { enabled: !rule.enabled }), rule.enabled ? 'Disabled.' : 'Enabled.')}>${rule.enabled ? 'Disable' : 'Enable'}</button>
      ${holdButton('Delete', () => void keep(() => call('DELETE', here), 'Deleted.'), { says: `Delete ${title}` })}</div>` : nothing}
  </li>`;
}

function drawForm(rule: Rule | null, leave?: () => void): TemplateResult {
  return html`<form class="wide" @submit=${(event: Event) => {
      const { form, field } = submitted(event);
      const said = { title: field('title'), content: field('content'), priority: Number(field('priority')) || 0 };
      if (rule) {
        void keep(async () => { await call('PUT', `${PATH}/${rule.id}`, said); open = ''; }, 'Saved. It applies from the next prompt.');
        return;
      }
      const [scope, target] = field('whom').split(':');
      void keep(() => call('POST', PATH, { scope, ...(target ? { scope_target: target } : {}), ...said }), 'Saved. It applies from the next prompt.', form);
    }}>
    ${rule ? html`<p class="none">${whoseWords(rule)}</p>` : html`<label>For <select name="whom">${whomOptions()}</select></label>`}
    <label>Title <input name="title" required maxlength=${TITLE_MAX} dir="auto" autocomplete="off" .defaultValue=${rule?.title ?? ''} /></label>
    <label>Instruction text <textarea name="content" required maxlength=${CONTENT_MAX} rows="4" dir="auto" .defaultValue=${rule?.content ?? ''}></textarea></label>
    <label>Order <input name="priority" type="number" step="1" min="-1000000" max="1000000" .defaultValue=${String(rule?.priority ?? 0)} /></label>
    <div class="buttons"><button class="primary">Save</button>${leave ? html`<button type="button" @click=${leave}>Cancel</button>` : nothing}</div>
  </form>`;
}

function whomOptions(): TemplateResult[] {
  const tree = treeIn(store.live);
  const everybody = tree.roots.flatMap((root) => branchOf(tree, root)).slice(0, CHOICES);
  return [
    html`<option value="global">everybody</option>`,
    ...everybody.filter((agent) => leads(tree, agent)).map((agent) => html`<option value="team:${agent.id}">the team of ${clip(agent.name, 60)}</option>`),
    ...everybody.map((agent) => html`<option value="workspace:${agent.id}">${clip(agent.name, 60)} alone</option>`),
  ];
}

/** In an agent's settings: what holds for it, as it reads it, and one more for it. */
export function drawRulesOf(agent: Agent): TemplateResult {
  const reading = read<{ instructions: string }>(`/workspaces/${agent.id}/instructions/resolve`);
  const text = reading.value?.instructions;
  const acts = mayAct(agent.id) && !store.past;
  return html`<section class="rules-of"><h3>Instructions</h3>
    ${text ? html`<details><summary>Instruction text: ${count(text.match(/^### /gm)?.length ?? 0, 'instruction')}</summary><pre class="paste" tabindex="0" aria-label="Instruction text" dir="auto">${asWritten(text, 65_536)}</pre></details>` : html`<p class="none">${text === '' ? 'No instructions yet.' : reading.note}</p>`}
    ${acts ? html`<details><summary>Add instruction</summary><fieldset ?disabled=${isChanging()}><form class="skill" @submit=${(event: Event) => {
      const { form, field } = submitted(event);
      void keep(() => call('POST', PATH, { scope: field('scope'), scope_target: agent.id, title: field('title'), content: field('content') }), 'Saved. It applies from the next prompt.', form);
    }}>
      ${leads(treeIn(store.org), agent) ? html`<select name="scope" aria-label="For whom"><option value="workspace">for it alone</option><option value="team">for it and all below it</option></select>` : html`<input type="hidden" name="scope" value="workspace" />`}
      <input name="title" required maxlength=${TITLE_MAX} aria-label="Title of the instruction" placeholder="title" dir="auto" autocomplete="off" />
      <textarea name="content" required maxlength=${CONTENT_MAX} rows="3" aria-label="Instruction text" placeholder="Instruction text, at the beginning of every prompt" dir="auto"></textarea>
      <button>Save</button></form></fieldset></details>` : nothing}
    ${seesAll() ? html`<div class="buttons"><button class="inline" @click=${() => look({ screen: 'house' })}>All instructions</button></div>` : nothing}
  </section>`;
}
