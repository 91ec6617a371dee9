import { html, nothing, type TemplateResult } from 'lit';
import { call } from './api';
import { change, isChanging, rows, submitted } from './forms';
import { holdButton } from './hold';
import { read } from './readings';
import { mayAct } from './rights';
import { madeUp, usedUp } from './secrets';
import { store } from './store';
import { MOODS, clip, clock, count } from './words';

/** Who is told of what waits while they do not look (docs/wire/events.md, Notifications). */

type Channel = 'webhook' | 'slack' | 'ntfy' | 'email';

interface Target {
  id: string;
  name: string;
  who: string;
  channel: Channel;
  url: string;
  from?: string;
  to?: string;
  user?: string | null;
  plain?: boolean;
  kinds: string[] | null;
  quiet_from: string | null;
  quiet_to: string | null;
  zone: string;
  digest_at: string | null;
  deputy: string | null;
  deputy_until: string | null;
  enabled: boolean;
  waiting: number;
  delivered_at: string | null;
  failing_since: string | null;
  last_error: string | null;
}

const PATH = '/notifications/targets';
const TEST_MILLIS = 30_000;
const CHANNELS: [Channel, string][] = [['email', 'mail'], ['slack', 'Slack'], ['ntfy', 'ntfy'], ['webhook', 'a webhook of yours']];

/** The kinds of the inbox, as people say them. */
const KINDS: [string, string][] = [
  ['approval', 'approvals'],
  ['question', 'questions'],
  ['budget', 'budgets'],
  ['limit', 'limits of teams and work'],
  ['price', 'models without a price'],
  ['unusual_cost', 'runs that cost more than usual'],
  ['outcome_unknown', 'unknown outcomes'],
  ['stranger', 'agents that nobody invited'],
  ['failed', 'agents that cannot start'],
  ['degraded', 'agents with errors'],
  ['awaiting_agent', 'agents to be connected'],
  ['webhook', 'paused webhooks'],
];

/** The target that is being changed; what a new one is to be. */
let open = '';
let channel: Channel = 'email';

const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

export function drawTold(): TemplateResult {
  const reading = read<Target[]>(PATH);
  const acts = mayAct() && !store.past;
  const all = Array.isArray(reading.value) ? reading.value : [];
  return html`<section class="who-is-told" aria-label="Notifications"><h3>Notifications</h3>
    <p class="none">Once for each thing that waits, with a link to it.</p>
    ${rows(reading, 'No notification channels yet. Add one to hear of inbox items elsewhere.', (target) => drawTarget(target, all, acts))}
    ${acts ? html`<details class="more"><summary>Add channel</summary><fieldset ?disabled=${isChanging()}>${drawForm(null, all)}</fieldset></details>` : nothing}
  </section>`;
}

function drawTarget(target: Target, all: Target[], acts: boolean): TemplateResult {
  const here = `${PATH}/${target.id}`;
  const name = clip(target.name, 60);
  if (acts && open === target.id) return html`<li class="opened"><fieldset ?disabled=${isChanging()}>${drawForm(target, all)}</fieldset></li>`;
  const standIn = target.deputy && target.deputy_until && Date.parse(target.deputy_until) > Date.now() ? all.find((one) => one.id === target.deputy) : null;
  const facts = [
    target.kinds === null ? 'everything that waits' : target.kinds.length ? KINDS.filter(([kind]) => target.kinds!.includes(kind)).map(([, words]) => words).join(', ') : 'nothing that waits',
    target.quiet_from && target.quiet_to ? `quiet from ${target.quiet_from} to ${target.quiet_to}` : '',
    target.digest_at ? `how the day went at ${target.digest_at}` : '',
    (target.quiet_from || target.digest_at) && target.zone ? clip(target.zone, 40) : '',
    standIn ? `until ${clock(Date.parse(target.deputy_until!), Date.now())} ${clip(standIn.name, 60)} is told instead` : '',
  ].filter((fact) => fact);
  return html`<li class=${target.failing_since ? 'mood-failed' : target.enabled ? '' : 'off'}>
    <div class="about-it"><b dir="auto">${name}</b> <span class="none" dir="auto">${target.who === target.name ? '' : `${clip(target.who, 60)}, `}${addressOf(target)}${target.enabled ? '' : ', disabled'}</span>
      <p class="none">${facts.join('; ')}</p>
      ${target.failing_since
        ? html`<p class="bad"><span class="glyph" aria-hidden="true">${MOODS.failed.glyph}</span> takes nothing since ${clock(Date.parse(target.failing_since), Date.now())}: <span dir="auto">${clip(target.last_error ?? '', 200)}</span>. ${target.waiting ? `${count(target.waiting, 'thing')} to tell.` : ''} It is tried again.</p>`
        : html`<p class="none">${target.delivered_at ? `told last ${clock(Date.parse(target.delivered_at), Date.now())}` : 'not told anything yet'}${target.waiting ? `, ${count(target.waiting, 'thing')} to tell` : ''}</p>`}</div>
    ${acts ? html`<div class="buttons">
      <button aria-label="Send test to ${name}" ?disabled=${isChanging()} @click=${() => void change(PATH, () => call('POST', `${here}/test`, {}, TEST_MILLIS), `Test sent to ${name}.`)}>Send test</button>
      <button aria-label="Change ${name}" @click=${() => { open = target.id; store.changed(); }}>Change</button>
      <button aria-label="${target.enabled ? 'Disable' : 'Enable'} ${name}" ?disabled=${isChanging()} @click=${() => void change(PATH, () => call('PATCH', here, { enabled: !target.enabled }), target.enabled ? 'Disabled.' : 'Enabled.')}>${target.enabled ? 'Disable' : 'Enable'}</button>
      ${holdButton('Delete', () => void change(PATH, () => call('DELETE', here), 'Deleted.'), { says: `Delete ${name}` })}</div>` : nothing}
  </li>`;
}

const addressOf = (target: Target): string => ({ email: `by mail to ${clip(target.to ?? '', 80)}`, slack: 'in Slack', ntfy: `at ${clip(target.url, 100)}`, webhook: `at ${clip(target.url, 100)}` })[target.channel];

function drawForm(target: Target | null, all: Target[]): TemplateResult {
  const kind = target?.channel ?? channel;
  const others = all.filter((one) => one.id !== target?.id);
  const kept = target ? 'as it is' : '';
  return html`<form class="wide" @submit=${(event: Event) => {
      const { form, field } = submitted(event);
      const said = saidIn(form, field, kind, target);
      void change(PATH, async () => {
        await (target ? call('PATCH', `${PATH}/${target.id}`, said) : call('POST', PATH, { channel: kind, ...said }));
        open = '';
        usedUp('told');
      }, target ? 'Saved.' : 'Saved. Send a test next.', target ? undefined : form);
    }}>
    ${target ? nothing : html`<label>Channel <select name="channel" @change=${(event: Event) => { channel = (event.target as HTMLSelectElement).value as Channel; store.changed(); }}>${CHANNELS.map(([one, words]) => html`<option value=${one} .selected=${one === kind}>${words}</option>`)}</select></label>`}
    <div class="pair"><label>Recipient <input name="who" required maxlength="100" placeholder="a person or a role" dir="auto" autocomplete="off" .defaultValue=${target?.who ?? ''} /></label>
      <label>Name <input name="name" required maxlength="100" placeholder="Kim’s phone" dir="auto" autocomplete="off" .defaultValue=${target?.name ?? ''} /></label></div>
    ${kind === 'email' ? html`
      <div class="pair"><label>To <input name="to" type="email" required maxlength="320" autocomplete="off" .defaultValue=${target?.to ?? ''} /></label>
        <label>From <input name="from" type="email" required maxlength="320" autocomplete="off" .defaultValue=${target?.from ?? ''} /></label></div>
      <label>Mail server <input name="url" required maxlength="2048" placeholder="smtps://mail.example.org:465" autocomplete="off" .defaultValue=${target?.url ?? ''} /></label>
      <div class="pair"><label>User name <input name="user" maxlength="320" placeholder="none" autocomplete="off" .defaultValue=${target?.user ?? ''} /></label>
        <label>Password <input name="secret" type="password" maxlength="2048" autocomplete="off" placeholder=${kept || 'none'} /></label></div>
      <label class="tick"><input type="checkbox" name="plain" .defaultChecked=${target?.plain ?? false} /> Without TLS: whoever listens in reads it</label>` : nothing}
    ${kind === 'slack' ? html`<label>URL of the incoming webhook <input name="secret" type="password" ?required=${!target} maxlength="2048" placeholder=${kept || 'https://…/services/…'} autocomplete="off" /></label>` : nothing}
    ${kind === 'ntfy' ? html`<label>Server and topic <input name="url" type="url" required maxlength="2048" placeholder="https://…/our-topic" autocomplete="off" .defaultValue=${target?.url ?? ''} /></label>
      <label>Token <input name="secret" type="password" maxlength="2048" placeholder=${kept || 'only where the topic needs one'} autocomplete="off" /></label>` : nothing}
    ${kind === 'webhook' ? html`<label>Address <input name="url" type="url" required maxlength="2048" placeholder="https://…" autocomplete="off" .defaultValue=${target?.url ?? ''} /></label>
      <label>Signing secret <input name="secret" ?required=${!target} minlength="16" maxlength="2048" placeholder=${kept} autocomplete="off" spellcheck="false" .defaultValue=${target ? '' : madeUp('told')} /></label>` : nothing}
    <fieldset class="kinds"><legend>Of what</legend>${KINDS.map(([one, words]) => html`<label class="tick"><input type="checkbox" name="kind" value=${one} .defaultChecked=${target?.kinds?.includes(one) ?? true} /> ${words}</label>`)}</fieldset>
    <div class="pair"><label>Quiet hours from <input name="quiet_from" type="time" .defaultValue=${target?.quiet_from ?? ''} /></label><label>to <input name="quiet_to" type="time" .defaultValue=${target?.quiet_to ?? ''} /></label></div>
    <div class="pair"><label>Daily summary at <input name="digest_at" type="time" .defaultValue=${target?.digest_at ?? ''} /></label>
      <label>Time zone <input name="zone" required maxlength="60" autocomplete="off" .defaultValue=${target?.zone ?? ownZone()} /></label></div>
    ${others.length ? html`<div class="pair"><label>Escalate to <select name="deputy"><option value="">nobody</option>${others.map((one) => html`<option value=${one.id} ?selected=${one.id === target?.deputy}>${clip(one.name, 60)}</option>`)}</select></label>
      <label>until <input name="deputy_until" type="datetime-local" .defaultValue=${target?.deputy_until ? localTime(target.deputy_until) : ''} /></label></div>` : nothing}
    <div class="buttons"><button class="primary">Save</button>${target ? html`<button type="button" @click=${() => { open = ''; store.changed(); }}>Cancel</button>` : nothing}</div>
  </form>`;
}

/** All that the form says; a secret that is not said stays. */
function saidIn(form: HTMLFormElement, field: (name: string) => string, kind: Channel, target: Target | null): Record<string, unknown> {
  const ticked = [...form.querySelectorAll<HTMLInputElement>('[name=kind]:checked')].map((one) => one.value);
  const orNull = (name: string): string | null => field(name) || null;
  const deputy = form.querySelector('[name=deputy]') ? { deputy: orNull('deputy'), deputy_until: field('deputy') && field('deputy_until') ? new Date(field('deputy_until')).toISOString() : null } : {};
  return {
    name: field('name'),
    who: field('who'),
    ...(kind === 'slack' ? {} : { url: field('url') }),
    ...(kind === 'email' ? { to: field('to'), from: field('from'), user: orNull('user'), plain: !!form.querySelector('[name=plain]:checked') } : {}),
    ...(field('secret') || !target ? { secret: field('secret') } : {}),
    kinds: ticked.length === KINDS.length ? null : ticked,
    quiet_from: orNull('quiet_from'),
    quiet_to: orNull('quiet_to'),
    digest_at: orNull('digest_at'),
    zone: field('zone'),
    ...deputy,
  };
}

/** As a field of a form has it. */
function localTime(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
