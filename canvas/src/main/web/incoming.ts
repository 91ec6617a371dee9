import { html, nothing, type TemplateResult } from 'lit';
import { call } from './api';
import { treeIn } from './census';
import { change, isChanging, rows, submitted } from './forms';
import { holdButton } from './hold';
import { usualLimit } from './limits';
import { branchOf } from './organisation';
import { read } from './readings';
import { mayAct } from './rights';
import { madeUp, usedUp } from './secrets';
import { store } from './store';
import { toast } from './view';
import { clip, money } from './words';

/** Who may send what becomes work: deliveries that are signed (docs/wire/work.md, From elsewhere). */

interface Webhook {
  type: string;
  /** Null of GitHub's for all, whose address names the agent. */
  to: string | null;
  title: string;
  brief: string;
  events: string[] | null;
  limit: number | null;
  made_by?: string | null;
  paused?: boolean;
}

const PATH = '/webhooks';
const GITHUB = 'github';
const TEMPLATE_MAX = 4_000;
const CHOICES = 1_000;

/** For all agents, or `github/<id>`: what one agent takes by a secret of its own. */
const isOfGithub = (type: string): boolean => type === GITHUB || type.startsWith(`${GITHUB}/`);
const pathOf = (type: string): string => `${PATH}/${type.split('/').map(encodeURIComponent).join('/')}`;

/** The sender that is being changed; what a new one is. */
let open = '';
let github = false;

export function drawIncoming(): TemplateResult {
  const reading = read<Webhook[]>(PATH);
  const acts = mayAct() && !store.past;
  const has = Array.isArray(reading.value) && reading.value.some((one) => one.type === GITHUB);
  return html`<section class="incoming" aria-label="Webhooks (incoming)"><h3>Webhooks (incoming)</h3>
    <p class="none">Each delivery starts a run. Deliveries are signed and taken once.</p>
    ${rows(reading, 'No webhooks yet.', (webhook) => drawWebhook(webhook, acts))}
    ${acts ? html`<details class="more"><summary>Add webhook</summary><fieldset ?disabled=${isChanging()}>${drawForm(null, has)}</fieldset></details>` : nothing}
  </section>`;
}

/** "kim" of "person:kim"; other credentials as the audit log has them. */
const maker = (webhook: Webhook): string => clip((webhook.made_by ?? 'somebody').replace(/^person:/, ''), 60);

function drawWebhook(webhook: Webhook, acts: boolean): TemplateResult {
  const { type } = webhook;
  if (acts && open === type) return html`<li class="opened"><fieldset ?disabled=${isChanging()}>${drawForm(webhook, true)}</fieldset></li>`;
  const whom = type === GITHUB ? 'asks the agent in the address' : `asks ${clip(store.live.agents.get(webhook.to ?? '')?.name ?? 'an agent that is gone', 60)}`;
  const address = `${location.origin}${PATH}/${type}${type === GITHUB ? '/' : ''}`;
  const facts = [whom, webhook.events ? webhook.events.slice(0, 12).map((one) => clip(one, 60)).join(', ') : 'whatever happens', webhook.limit === null ? '' : `at most ${money(webhook.limit)} each`].filter((fact) => fact);
  return html`<li>
    <div class="about-it"><b>${isOfGithub(type) ? GITHUB : type}</b> <span class="none" dir="auto">${facts.join('; ')}</span>
      <p><code>${address}${type === GITHUB ? html`<i>agent’s id</i>` : nothing}</code></p>
      <p class="none" dir="auto">${clip(webhook.title, 120)}</p>
      ${webhook.paused ? html`<p>Paused: ${maker(webhook)} set the signing secret and may not act for the agent any more. Change the secret to continue.</p>` : webhook.made_by ? html`<p class="none" dir="auto">Set by ${maker(webhook)}</p>` : nothing}</div>
    <div class="buttons">
      ${type === GITHUB ? nothing : html`<button aria-label="Copy the address of ${type}" @click=${() => void navigator.clipboard?.writeText(address).then(() => toast('Copied.'), () => toast(address))}>Copy</button>`}
      ${acts ? html`<button aria-label="Change ${type}" @click=${() => { open = type; store.changed(); }}>Change</button>
        ${holdButton('Delete', () => void change(PATH, () => call('DELETE', pathOf(type)), 'Deleted.'), { says: `Delete ${type}` })}` : nothing}</div>
  </li>`;
}

/** @param has whether GitHub's is there already */
function drawForm(webhook: Webhook | null, has: boolean): TemplateResult {
  const ofGithub = webhook ? isOfGithub(webhook.type) : github;
  const tree = treeIn(store.live);
  const everybody = tree.roots.flatMap((root) => branchOf(tree, root)).slice(0, CHOICES);
  return html`<form class="wide" @submit=${(event: Event) => {
      const { form, field } = submitted(event);
      const type = webhook?.type ?? (!ofGithub ? field('type') : field('to') ? `${GITHUB}/${field('to')}` : GITHUB);
      const events = field('events').split(/[\s,]+/).filter((one) => one);
      const said = {
        ...(ofGithub ? {} : { to: field('to') }),
        ...(field('secret') ? { secret: field('secret') } : {}),
        ...(field('title') ? { title: field('title') } : {}),
        ...(field('brief') ? { brief: field('brief') } : {}),
        events: events.length ? events : null,
        limit: field('limit') ? Number(field('limit')) : null,
      };
      void change(PATH, async () => {
        await call('PUT', pathOf(type), said);
        open = '';
        github = false;
        usedUp('incoming');
      }, 'Saved. Give the sender the address and the secret.', webhook ? undefined : form);
    }}>
    ${webhook ? nothing : html`<label>Sender <select @change=${(event: Event) => { github = (event.target as HTMLSelectElement).value === GITHUB; store.changed(); }}><option value="" .selected=${!ofGithub}>signed requests</option><option value=${GITHUB} .selected=${ofGithub}>GitHub</option></select></label>`}
    ${webhook || ofGithub ? nothing : html`<label>Path <input name="type" required pattern="[a-z0-9][a-z0-9\\-]*" maxlength="40" placeholder="tickets" autocomplete="off" autocapitalize="none" spellcheck="false" /></label>`}
    ${webhook && ofGithub ? nothing : html`<label>Agent <select name="to">${ofGithub && !has ? html`<option value="">All agents, with one secret</option>` : nothing}${everybody.map((agent) => html`<option value=${agent.id} ?selected=${agent.id === webhook?.to}>${clip(agent.name, 60)}${agent.role ? ` — ${clip(agent.role, 40)}` : ''}</option>`)}</select></label>`}
    <label>Signing secret <input name="secret" ?required=${!webhook} minlength="16" maxlength="1000" placeholder=${webhook ? 'as it is' : ''} autocomplete="off" spellcheck="false" .defaultValue=${webhook ? '' : madeUp('incoming')} /></label>
    <label>Title of the run <input name="title" maxlength=${TEMPLATE_MAX} placeholder="{{event}}" autocomplete="off" dir="auto" .defaultValue=${webhook?.title ?? ''} /></label>
    <label>Instructions <textarea name="brief" maxlength=${TEMPLATE_MAX} rows="3" placeholder="{{body}}, or members of it: {{issue.title}}" dir="auto" .defaultValue=${webhook?.brief ?? ''}></textarea></label>
    <div class="pair"><label>Events <input name="events" maxlength="5000" placeholder="all; or issues.opened, push" autocomplete="off" autocapitalize="none" spellcheck="false" .defaultValue=${webhook?.events?.join(', ') ?? ''} /></label>
      <label>Cost limit per run (USD) <input name="limit" type="number" min="0.01" max="1000000" step="0.01" placeholder=${usualLimit()} .defaultValue=${webhook?.limit?.toString() ?? ''} /></label></div>
    <div class="buttons"><button class="primary">Save</button>${webhook ? html`<button type="button" @click=${() => { open = ''; store.changed(); }}>Cancel</button>` : nothing}</div>
  </form>`;
}
