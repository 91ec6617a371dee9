import { html, nothing, type TemplateResult } from 'lit';
import { call, says } from './api';
import { treeIn } from './census';
import { change, isChanging, rows, submitted } from './forms';
import { holdButton } from './hold';
import type { Agent } from './model';
import { branchOf } from './organisation';
import { leads } from './owners';
import { forget, read, type Reading } from './readings';
import { mayAct, seesAll } from './rights';
import { store } from './store';
import { look } from './view';
import { asWritten, clip, clock, count } from './words';

/** Rules that refuse calls the org chart allows: those of all and of each branch, and what they would have refused (docs/wire/registry.md, Policy). */

interface Rule {
  name: string;
  branch: string | null;
  branch_name: string | null;
  mode: 'observe' | 'enforce';
  /** Null is not for whoever looks to see. */
  refuse_when: string | null;
  says: string;
  from_above?: boolean;
}

interface Trial {
  calls: number;
  unknown: number;
  more: boolean;
  rules: { would_refuse: number; latest: { caller_name: string; target_name: string; method: string; times: number; last_at: string }[] }[];
}

const PATH = '/policy';
const WEEK_SECONDS = 7 * 24 * 3600;
const EXPRESSION_MAX = 1_000;
const SAYS_MAX = 200;
const LATEST = 5;
/** Of more agents nobody chooses from a list. */
const CHOICES = 1_000;

/** The rule that is being changed, by where and how it is called; and what trying one found, or why nothing. */
let open = '';
const trials = new Map<string, Trial | string>();

const baseOf = (branch: string | null): string => (branch ? `/workspaces/${branch}${PATH}` : PATH);
const keyOf = (rule: Rule): string => `${baseOf(rule.branch)}/${rule.name}`;
const ownerOf = (rule: Rule): string => (rule.branch ? clip(rule.branch_name ?? '', 60) || 'an agent that is gone' : 'the organisation');
const whoseWords = (rule: Rule): string => (rule.from_above ? 'from above this branch' : rule.branch ? `for ${ownerOf(rule)} and all below` : 'for everybody');
const MODES = [['observe', 'Audit'], ['enforce', 'Enforce']] as const;

async function keep(what: () => Promise<unknown>, done: string, form?: HTMLFormElement): Promise<void> {
  await change(PATH, what, done, form);
  forget('/workspaces/');
}

/** On the calls of a week, whatever its mode. */
async function tryOut(key: string, branch: string | null, refuseWhen: string): Promise<void> {
  trials.set(key, 'Testing on the last 7 days…');
  store.changed();
  trials.set(key, await call<Trial>('POST', `${baseOf(branch)}/test`, { since_secs: WEEK_SECONDS, refuse_when: refuseWhen }).catch(says));
  store.changed();
}

function drawTrial(key: string): TemplateResult | typeof nothing {
  const told = trials.get(key);
  if (told === undefined) return nothing;
  if (typeof told === 'string') return html`<p class="told" role="status" dir="auto">${told}</p>`;
  const rule = told.rules[0] ?? { would_refuse: 0, latest: [] };
  const now = Date.now();
  return html`<div class="told" role="status">
    <p>${told.calls ? html`Of ${count(told.calls, 'call')} of the last 7 days it would have denied <b>${rule.would_refuse || 'none'}</b>.` : 'No calls in the last 7 days.'}
      ${told.unknown ? `${count(told.unknown, 'more call')} of agents that are gone could not be tried.` : ''}${told.more ? ' There were older ones, which were not tried.' : ''}</p>
    ${rule.latest.length ? html`<ul>${rule.latest.slice(0, LATEST).map((one) => html`<li dir="auto">${clip(one.caller_name, 40) || 'A person'} → ${clip(one.target_name, 40)} <span class="none"><code>${clip(one.method, 40)}</code>${one.times > 1 ? `, ${one.times} times` : ''}, last ${clock(Date.parse(one.last_at), now)}</span></li>`)}
      ${rule.latest.length > LATEST ? html`<li class="none">and others</li>` : nothing}</ul>` : nothing}
  </div>`;
}

/** Of the organisation, with all its branches. */
export function drawPolicy(): TemplateResult {
  const reading = read<{ rules: Rule[] }>(PATH);
  const acts = mayAct() && !store.past;
  return html`<section class="policy" aria-label="Policies"><h3>Policies</h3>
    <p class="none">The organization tree decides who can message whom. A policy denies some of that: a message, or a tool of the platform. A policy in audit mode records calls and denies none.</p>
    ${drawAll(reading, 'No policies yet. The organization tree alone decides who can call whom.', acts)}
    ${acts ? html`<details class="more"><summary>Add policy</summary><fieldset ?disabled=${isChanging()}>${drawForm(null, null)}</fieldset></details>` : nothing}
  </section>`;
}

/** In an agent's settings: what holds for it, and one more for it and all below it. */
export function drawPolicyOf(agent: Agent): TemplateResult {
  const acts = mayAct(agent.id) && !store.past;
  return html`<section class="policy rules-of"><h3>Policies</h3>
    ${drawAll(read<{ rules: Rule[] }>(baseOf(agent.id)), 'No policies apply to this agent.', acts, agent)}
    ${acts ? html`<details><summary>Add policy</summary><fieldset ?disabled=${isChanging()}>${drawForm(null, agent)}</fieldset></details>` : nothing}
    ${seesAll() ? html`<div class="buttons"><button class="inline" @click=${() => look({ screen: 'house' })}>All policies</button></div>` : nothing}
  </section>`;
}

const drawAll = (reading: Reading<{ rules: Rule[] }>, none: string, acts: boolean, agent: Agent | null = null): TemplateResult =>
  rows({ value: reading.value?.rules ?? null, note: reading.note }, none, (rule) => drawRule(rule, acts && (!rule.from_above && (rule.branch ? mayAct(rule.branch) : mayAct())), agent));

function drawRule(rule: Rule, acts: boolean, agent: Agent | null): TemplateResult {
  const key = keyOf(rule);
  const name = clip(rule.name, 63);
  const refuses = rule.mode === 'enforce';
  const tries = !rule.from_above && !store.past;
  if (acts && open === key) {
    return html`<li class="opened"><fieldset ?disabled=${isChanging()}>${drawForm(rule, agent)}</fieldset></li>`;
  }
  const put = (mode: string, done: string) => keep(() => call('PUT', key, { refuse_when: rule.refuse_when, says: rule.says, mode }), done);
  return html`<li class=${refuses ? '' : 'off'}>
    <div class="about-it"><b>${name}</b> <span class="none">${whoseWords(rule)}, ${refuses ? 'Enforce' : 'Audit'}</span>
      ${rule.refuse_when === null ? nothing : html`<pre class="when" tabindex="0" aria-label="When ${name} refuses">${asWritten(rule.refuse_when, EXPRESSION_MAX)}</pre>`}
      ${rule.says ? html`<p class="words" dir="auto">“${asWritten(rule.says, SAYS_MAX)}”</p>` : nothing}
      ${drawTrial(key)}</div>
    ${tries || acts ? html`<div class="buttons">
      ${tries ? html`<button aria-label="Test ${name} on last 7 days" @click=${() => void tryOut(key, rule.branch, rule.refuse_when ?? '')}>Test</button>` : nothing}
      ${acts ? html`<button aria-label="${refuses ? `Set ${name} to audit` : `Enforce ${name}`}" ?disabled=${isChanging()} @click=${() => void put(refuses ? 'observe' : 'enforce', refuses ? 'The policy only audits now.' : 'The policy denies calls from now on.')}>${refuses ? 'Set to audit' : 'Enforce'}</button>
      <button aria-label="Change ${name}" @click=${() => { open = key; store.changed(); }}>Change</button>
      ${holdButton('Delete', () => void keep(() => call('DELETE', key), 'Deleted.'), { says: `Delete ${name}` })}` : nothing}</div>` : nothing}
  </li>`;
}

/** @param agent for whom one is made; null lets choose */
function drawForm(rule: Rule | null, agent: Agent | null): TemplateResult {
  const trial = `${rule ? keyOf(rule) : baseOf(agent?.id ?? null)}/?`;
  const leave = (): void => { open = ''; trials.delete(trial); store.changed(); };
  const whose = (form: HTMLFormElement): string | null => (rule ? rule.branch : agent ? agent.id : String(new FormData(form).get('whom') ?? '') || null);
  return html`<form class="skill wide" @submit=${(event: Event) => {
      const { form, field } = submitted(event);
      const said = { refuse_when: field('when'), says: field('says'), mode: field('mode') };
      void keep(async () => { await call('PUT', `${baseOf(whose(form))}/${rule?.name ?? field('name')}`, said); trials.clear(); open = ''; }, said.mode === 'enforce' ? 'Saved. The policy denies calls from now on.' : 'Saved. The policy audits calls and denies none yet.', rule ? undefined : form);
    }}>
    ${rule ? html`<p class="none"><b>${clip(rule.name, 63)}</b> ${whoseWords(rule)}</p>` : html`<div class="pair">
      ${agent ? nothing : html`<label>For <select name="whom">${whomOptions()}</select></label>`}
      <label>Name <input name="name" required maxlength="63" pattern="[a-z][a-z0-9\\-]{0,62}" placeholder="no-cheap-callers" autocomplete="off" autocapitalize="none" spellcheck="false" title="small letters, digits and -" /></label></div>`}
    <label>Deny when (CEL) <textarea name="when" class="when" required maxlength=${EXPRESSION_MAX} rows="3" spellcheck="false" autocapitalize="none" placeholder="caller.tier &lt; 2 &amp;&amp; method.startsWith('message/')" .defaultValue=${rule?.refuse_when ?? ''}></textarea></label>
    <details><summary>Fields</summary>${drawNames()}</details>
    <label>Message shown <input name="says" maxlength=${SAYS_MAX} dir="auto" autocomplete="off" placeholder="ask your lead" .defaultValue=${rule?.says ?? ''} /></label>
    <label>Mode <select name="mode">${MODES.map(([mode, words]) => html`<option value=${mode} .selected=${mode === (rule?.mode ?? 'observe')}>${words}</option>`)}</select></label>
    ${drawTrial(trial)}
    <div class="buttons"><button class="primary">Save</button>
      <button type="button" @click=${(event: Event) => {
        const form = (event.currentTarget as HTMLButtonElement).form!;
        void tryOut(trial, whose(form), String(new FormData(form).get('when') ?? ''));
      }}>Test on last 7 days</button>
      ${rule ? html`<button type="button" @click=${leave}>Cancel</button>` : nothing}</div>
  </form>`;
}

const NAMES: [string, string][] = [
  ['method', "message/send, tasks/get …; of a tool tools/call"],
  ['tool', 'the name of a tool of the platform; empty for a message'],
  ['caller.kind', "'workspace' or 'person'"],
  ['caller.name, .role, .runtime, .tenant, .id', 'texts'],
  ['caller.tier', 'its size, 1 to 4'],
  ['caller.spend', 'dollars of this month, as 1.5'],
  ['target.…', 'the same of who is called'],
];

const drawNames = (): TemplateResult => html`<dl class="names">${NAMES.map(([name, what]) => html`<dt><code>${name}</code></dt><dd>${what}</dd>`)}</dl>
  <p class="none">Compare with <code>== != &lt; &gt;</code>, join with <code>&amp;&amp; || !</code>; texts have <code>startsWith</code>, <code>contains</code>, <code>matches</code>. What cannot be told counts as refused.</p>`;

function whomOptions(): TemplateResult[] {
  const tree = treeIn(store.live);
  const everybody = tree.roots.flatMap((root) => branchOf(tree, root)).slice(0, CHOICES);
  return [html`<option value="">everybody</option>`, ...everybody.map((one) => html`<option value=${one.id}>${clip(one.name, 60)}${leads(tree, one) ? ' and all below' : ''}</option>`)];
}
