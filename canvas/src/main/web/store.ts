import { Refused, call, keepSecret, says } from './api';
import { InboxReader } from './inboxreader';
import type { Connection, Envelope, LoggedEvent, Organisation, Workspace } from './model';
import { nobody } from './model';
import { apply, fade, recall, replaceAgents } from './organisation';
import type { Grant } from './rights';

/**
 * The one store and its one stream: everybody once from `GET /workspaces`, then `/ws?since=` for ever. After a break it goes on where it
 * was, and reads again what the stream does not repeat (tasks). Listeners are called at most once a frame, and not without a rest; in a hidden page never.
 */

const RETRY_MILLIS = [500, 1_000, 2_000, 4_000, 8_000];
const RECALLED_EVENTS = 300;
/** After a drawing it rests for so many times as long as that took, so that a large organisation leaves the machine to its agents. */
const REST = 2;
const REST_MAX_MILLIS = 100;
/** A socket that does not open for so long is tried anew. */
const OPENING_MILLIS = 10_000;
/** Scripts do not see the platform's pings, so a socket that says nothing for so long is asked something that it answers. */
const QUIET_MILLIS = 60_000;
/** So long it may take to answer before it counts as silent: 90 s after its last word it is opened anew. */
const ANSWER_MILLIS = 30_000;
/** The same where the inbox has moved and the stream did not say so, or somebody comes back to the page. */
const DOUBT_MILLIS = 5_000;
const LOOK_AFTER_MILLIS = 1_000;
/** Hints that the inbox changed may be missed, and a stream that is silent may stand still: so often it is asked without one. */
const INBOX_MILLIS = 15_000;
/** So many breaks within so long are one state of its own, not so many. */
const BREAKS = 4;
const BREAKS_MILLIS = 30_000;
/** A break that is over sooner is none that anybody must read of. */
const BRIEF_MILLIS = 1_200;

/** Above so many agents the platform is told what is looked at, and what others do is drawn four times a second. */
const LARGE = 600;
const MANY_MILLIS = 250;
/** While the ground is dragged, which all of a slow machine is needed for, once a second. */
const CALM_MILLIS = 1_000;
const DRAGGED_MILLIS = 300;
const VIEW_MAX = 1_000;
/** Between two views: the platform takes twenty a second. */
const LOOK_MILLIS = 200;

export class Store {
  /** As it is now. */
  readonly live: Organisation = nobody();
  /** As it was at the moment that is looked at; null while that is now. Whoever moves in time puts it here. */
  past: Organisation | null = null;
  connection: Connection = { kind: 'loading' };
  /** What waits for people, read into {@link live}. */
  readonly inbox = new InboxReader(this.live, () => this.changed(), () => this.probe(DOUBT_MILLIS));
  signedIn = false;
  /** Who signed in by name; null for who did not. */
  who: { id: string; login: string; name: string; roles: Grant[]; signs_in_with: string[] } | null = null;
  /** Another number at each drawing, so that what is counted for one is counted once. */
  drawing = 0;

  private readonly listeners = new Set<() => void>();
  private readonly taps = new Set<(event: Envelope) => void>();
  private due = false;
  private soon = 0;
  private looked = '';
  private lookedAt = 0;
  private lookLater = 0;
  private restUntil = 0;
  private draggedAt = -Infinity;
  private socket: WebSocket | null = null;
  private attempt = 0;
  private breaks: number[] = [];
  private retry = 0;
  private reading = false;
  /** When the socket last said anything, and by when it must again; 0 while it was not asked. */
  private spokeAt = 0;
  private silentAt = 0;

  /** What is drawn. */
  get org(): Organisation {
    return this.past ?? this.live;
  }

  /** The moment of what is drawn. */
  get now(): number {
    return this.past ? this.past.heardAt : Date.now();
  }

  start(): void {
    void this.connect();
    setInterval(() => {
      if (!document.hidden && this.connection.kind === 'live') this.inbox.freshen();
    }, INBOX_MILLIS);
    setInterval(() => this.lookAfter(), LOOK_AFTER_MILLIS);
    addEventListener('online', () => this.hurry());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) {
        this.changed();
        this.tryNow();
      }
    });
  }

  /** How often the stream was cut of late, where that is so often that it must be said; else 0. */
  get cuts(): number {
    const late = this.breaks.filter((at) => Date.now() - at < BREAKS_MILLIS).length;
    return late >= BREAKS ? late : 0;
  }

  /** Since when what is seen may be old, and what the platform says of it (empty where it is not reached); null while it is not. */
  get stale(): { since: number; why: string } | null {
    const { connection } = this;
    const brief = (at: number): boolean => Date.now() - at < BRIEF_MILLIS;
    if (connection.kind === 'away') return brief(connection.lostAt) ? null : connection;
    return this.inbox.trouble && !brief(this.inbox.trouble.since) ? this.inbox.trouble : null;
  }

  /** Does not wait for the next try. */
  tryNow(): void {
    this.hurry();
    if (this.connection.kind === 'live' && Date.now() - this.spokeAt > DOUBT_MILLIS) this.probe(DOUBT_MILLIS);
    this.inbox.freshen();
  }

  /** @returns how to stop listening */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** For those who need every event itself, not what it changed. */
  tap(tap: (event: Envelope) => void): () => void {
    this.taps.add(tap);
    return () => this.taps.delete(tap);
  }

  /** Draws soon. Frames do not come while the page is hidden, so neither does this. */
  changed(): void {
    if (this.due || document.hidden) return;
    this.due = true;
    const rest = Math.max(0, this.restUntil - performance.now());
    if (rest > 4) setTimeout(() => requestAnimationFrame(() => this.draw()), rest);
    else requestAnimationFrame(() => this.draw());
  }

  /** Of an organisation in which something happens all the time; what a person does is drawn at once all the same. */
  private changedByMany(): void {
    this.soon ||= window.setTimeout(() => {
      this.soon = 0;
      this.changed();
    }, performance.now() - this.draggedAt < DRAGGED_MILLIS ? CALM_MILLIS : MANY_MILLIS);
  }

  /** Of the map: its ground was just moved. */
  dragged(): void {
    this.draggedAt = performance.now();
  }

  /** What is looked at: of all others the platform then tells only what became of them. Small organisations are told whole. */
  look(ids: Iterable<string>): void {
    if (this.live.agents.size <= LARGE && !this.looked) return;
    const view = this.live.agents.size <= LARGE ? null : { workspaces: [...new Set(ids)].slice(0, VIEW_MAX).sort(), every: MANY_MILLIS };
    const asked = view ? JSON.stringify({ view }) : '';
    clearTimeout(this.lookLater);
    if (asked === this.looked || this.socket?.readyState !== WebSocket.OPEN) return;
    const wait = this.lookedAt + LOOK_MILLIS - performance.now();
    if (wait > 0) {
      this.lookLater = window.setTimeout(() => this.look(ids), wait);
      return;
    }
    this.looked = asked;
    this.lookedAt = performance.now();
    this.socket.send(asked || '{"view":null}');
  }

  private draw(): void {
    this.due = false;
    if (document.hidden) return; // asked for before it was; who comes back asks again
    const begin = performance.now();
    this.drawing++;
    const fading = fade(this.live, Date.now());
    this.listeners.forEach((listener) => listener());
    if (fading) setTimeout(() => this.changed(), 250);
    setTimeout(() => {
      // the elements draw in microtasks, the browser lays out and paints: by now all of it is done
      this.restUntil = performance.now() + Math.min(REST_MAX_MILLIS, REST * (performance.now() - begin));
    });
  }

  /** Shows the key, or a name and a password, once; the cookie that comes of it is the browser's to keep. */
  async signIn(shown: { token: string } | { login: string; password: string }): Promise<void> {
    try {
      keepSecret((await call<{ csrf_token?: string }>('POST', '/session', shown)).csrf_token);
      await this.comeIn();
    } catch (failure) {
      const status = failure instanceof Refused ? failure.status : 0;
      this.connection = { kind: 'locked', note: status === 401 ? ('token' in shown ? 'That key does not open it.' : 'That name and password do not belong together.') : status === 429 ? 'Too many tries. Wait a minute, then try again.' : says(failure) };
      this.changed();
    }
  }

  /** For who has a session now, or wants to see whether none is needed. */
  async comeIn(): Promise<void> {
    this.attempt = 0;
    await this.connect();
  }

  /** Here, and at the provider where it began. */
  async signOut(): Promise<void> {
    const over = await call<{ logout_url?: string } | null>('DELETE', '/session');
    this.drop();
    keepSecret(undefined);
    if (over?.logout_url) return location.assign(over.logout_url);
    location.reload(); // nothing of what was seen stays
  }

  private hurry(): void {
    if (this.connection.kind === 'away' && !this.reading) {
      this.attempt = 0;
      void this.connect();
    }
  }

  private async connect(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    clearTimeout(this.retry);
    this.drop();
    try {
      await this.read();
      if (leadBack()) return;
      await this.follow();
      this.attempt = Math.min(this.attempt, 1);
      this.connection = { kind: 'live' };
    } catch (failure) {
      this.failed(failure);
    } finally {
      this.reading = false;
      this.changed();
    }
  }

  private failed(failure: unknown): void {
    if (failure instanceof Refused && (failure.status === 401 || failure.status === 403)) {
      const over = this.live.heardAt ? 'The session is over. Sign in again; what you wrote is kept.' : '';
      this.connection = { kind: 'locked', note: failure.status === 403 ? `You are signed in, but may not look here: ${failure.message}.` : over };
      return;
    }
    const why = failure instanceof Refused ? failure.message : '';
    if (this.connection.kind === 'away') this.connection = { ...this.connection, why };
    else this.connection = { kind: 'away', since: this.live.heardAt || Date.now(), lostAt: Date.now(), why };
    const wait = RETRY_MILLIS[Math.min(this.attempt++, RETRY_MILLIS.length - 1)]!;
    this.retry = window.setTimeout(() => void this.connect(), wait * (0.75 + Math.random() / 2));
  }

  /** The position is read before the state, so that what happens in between is told again rather than missed. */
  private async read(): Promise<void> {
    const events = await call<LoggedEvent[]>('GET', `/events?limit=${RECALLED_EVENTS}`);
    const newest = events[0]?.seq ?? 0;
    if (this.live.seq === 0 || newest < this.live.seq) this.live.seq = newest; // a platform that forgot is a new one
    const [rows, session] = await Promise.all([call<Workspace[]>('GET', '/workspaces'), call<{ signed_in: boolean; person?: Store['who'] }>('GET', '/session'), this.inbox.read()]);
    this.signedIn = session.signed_in;
    this.who = session.person ?? null;
    replaceAgents(this.live, rows);
    recall(this.live, events);
    this.live.heardAt = Date.now();
  }

  private async follow(): Promise<void> {
    const address = new URL('/ws', location.href);
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    address.searchParams.set('since', String(this.live.seq));
    // A script cannot give a socket a header, so the session asks for a ticket that opens one.
    if (this.signedIn) address.searchParams.set('ticket', (await call<{ ticket: string }>('POST', '/ws/ticket')).ticket);
    const socket = new WebSocket(address);
    this.socket = socket;
    await new Promise<void>((opened, failed) => {
      const late = setTimeout(() => failed(new Error('no socket')), OPENING_MILLIS);
      socket.onopen = () => {
        clearTimeout(late);
        opened();
      };
      socket.onclose = () => {
        clearTimeout(late);
        failed(new Error('no socket'));
      };
    });
    this.looked = ''; // a view ends with its socket
    this.spokeAt = Date.now();
    this.silentAt = 0;
    socket.onmessage = (message) => this.hear(message);
    this.look([]);
    socket.onclose = () => this.lost(socket);
  }

  private hear(message: MessageEvent): void {
    this.spokeAt = Date.now();
    this.silentAt = 0;
    let event: Envelope;
    try {
      event = JSON.parse(String(message.data)) as Envelope;
    } catch {
      return;
    }
    if (event.event === 'GAP') {
      this.live.seq = 0; // what is kept no more cannot be told; everything is read again
      void this.connect();
      return;
    }
    this.live.heardAt = Date.now();
    if (event.event === 'INBOX_CHANGED') this.inbox.freshen(Number(event.payload['position']) || undefined);
    apply(this.live, event);
    this.taps.forEach((tap) => tap(event));
    if (this.live.agents.size > LARGE) this.changedByMany();
    else this.changed();
  }

  /** Asks the socket for a word, unless it was asked already and has less time left. */
  private probe(millis: number): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const by = Date.now() + millis;
    if (this.silentAt && this.silentAt <= by) return;
    this.silentAt = by;
    this.socket.send(this.looked || '{"view":null}');
  }

  /** Whoever stood between may be gone without a word: a socket then stays open for ever and tells nothing. */
  private lookAfter(): void {
    const { socket } = this;
    if (document.hidden || !socket || this.connection.kind !== 'live') return;
    if (this.silentAt && Date.now() >= this.silentAt) {
      this.drop();
      this.socket = socket;
      this.lost(socket);
    } else if (Date.now() - this.spokeAt >= QUIET_MILLIS) this.probe(ANSWER_MILLIS);
  }

  private lost(socket: WebSocket): void {
    if (this.socket !== socket) return;
    this.socket = null;
    this.breaks = [...this.breaks.filter((at) => Date.now() - at < BREAKS_MILLIS), Date.now()];
    this.failed(new Error('the socket was closed'));
    this.changed();
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = null;
    if (socket) {
      socket.onclose = socket.onmessage = null;
      socket.close();
    }
  }
}

/** Who was led here to sign in goes back to where they wanted to be, on this platform and nowhere else. */
function leadBack(): boolean {
  const next = new URLSearchParams(location.search).get('next');
  const target = next === null ? null : new URL(next, location.origin);
  if (!target || target.origin !== location.origin) return false;
  location.replace(target.pathname + target.search + target.hash);
  return true;
}

export const store = new Store();
