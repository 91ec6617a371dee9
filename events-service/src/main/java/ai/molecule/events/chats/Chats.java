package ai.molecule.events.chats;

import ai.molecule.common.auth.Role;
import ai.molecule.common.bus.registry.KeptSecret;
import ai.molecule.common.config.Environment;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.events.EventsConfig;
import ai.molecule.events.chats.TelegramApi.Access;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The parts of this folder, put together. */
public final class Chats {

    private static final Duration CONNECT = Duration.ofSeconds(10);

    /** A long look is worth a second between two. */
    private static final Loop.Times LISTEN =
            new Loop.Times(Duration.ofSeconds(1), Duration.ofMillis(50), Duration.ofSeconds(40));

    private static final Loop.Times SPEAK =
            new Loop.Times(Duration.ofSeconds(1), Duration.ofMillis(50), Duration.ofSeconds(40));

    private final SafeDialer dialer;
    private final ServiceContext service;
    private final PgChatStore store;
    private final Rights rights;
    private final TelegramApi api;
    private final UUID replica = UUID.randomUUID();
    private final List<Loop> loops;
    private final BotRoutes routes;

    /**
     * @param wait how long the messenger may wait for something to tell
     * @param pause after a reply that was not taken
     */
    public Chats(
            Vertx vertx,
            ServiceContext service,
            EventsConfig config,
            OrgChartCache charts,
            Duration wait,
            Duration pause) {
        this.service = service;
        var platform = config.platform();
        var rules = AddressRules.forDialling(platform.environment() == Environment.DEVELOPMENT, platform.saas());
        dialer = new SafeDialer(vertx, rules, CONNECT);
        store = new PgChatStore(service.database());
        rights = new Rights(service.bus());
        api = new TelegramApi(vertx, dialer);
        var listening = new Listening(store, rights, charts, service.bus());
        var rounds = new ChatRounds(store, listening, api, charts, service.bus(), replica, wait, pause);
        var hearing = new Loop(
                vertx,
                service.reconcilers().add("chats-heard", "reads what the bot at a messenger is told"),
                "the messenger",
                LISTEN,
                rounds::listen);
        var speaking = new Loop(
                vertx,
                service.reconcilers().add("chats-said", "says at a messenger what came of what was asked there"),
                "the messenger",
                SPEAK,
                rounds::speak);
        loops = List.of(hearing, speaking);
        routes = new BotRoutes(new BotService(store, dialer, service.bus(), hearing::poke));
    }

    public BotRoutes routes() {
        return routes;
    }

    /**
     * Tells whoever is known by that target, if it may still hear of it; false where it may not. Fails with {@link NotTaken}.
     *
     * @param workspace whose it is; null for what is of all
     * @param decidable what can be decided on; null for what cannot
     */
    public Future<Boolean> tell(UUID target, @Nullable UUID workspace, String words, @Nullable Decidable decidable) {
        return store.ofTarget(target)
                .compose(chat -> chat.isEmpty()
                        ? Future.succeededFuture(false)
                        : rights.of(chat.get(), workspace).compose(standing -> {
                            if (!standing.known()) {
                                return PgChatStore.unlink(
                                                service.database(), chat.get().sender())
                                        .map(false);
                            }
                            return standing.role() == null
                                    ? Future.succeededFuture(false)
                                    : send(message(chat.get(), standing, words, decidable));
                        }));
    }

    private static ObjectNode message(
            Chat chat, Rights.Standing standing, String words, @Nullable Decidable decidable) {
        boolean all = words.length() <= TelegramApi.TEXT_MAX_CHARS; // nobody decides on the first half
        if (decidable == null || !all || !standing.covers(Role.OPERATOR)) {
            return TelegramApi.message(chat.sender(), words);
        }
        var whyNot = decidable.whyNot(chat.login(), standing.role());
        if (whyNot.isPresent()) {
            return TelegramApi.message(chat.sender(), words + "\n\n" + whyNot.get());
        }
        var body = TelegramApi.message(chat.sender(), words);
        var row = body.putObject("reply_markup").putArray("inline_keyboard").addArray();
        if (!decidable.isApprovedBy(chat.login())) {
            row.addObject().put("text", "Approve").put("callback_data", Incoming.data(true, decidable));
        }
        row.addObject().put("text", "Deny").put("callback_data", Incoming.data(false, decidable));
        return body;
    }

    private Future<Boolean> send(ObjectNode message) {
        return Future.all(store.standing(), service.bus().call(KeptSecret.CONTRACT, new KeptSecret(ChatRounds.SECRET)))
                .compose(read -> {
                    var bot = read.<Optional<PgChatStore.Standing>>resultAt(0);
                    var token = read.<KeptSecret.Value>resultAt(1).value();
                    return bot.isEmpty() || token == null
                            ? Future.failedFuture(new NotTaken("there is no bot", false, null))
                            : api.call(new Access(bot.get().url(), token), "sendMessage", message)
                                    .map(true);
                });
    }

    public void start() {
        loops.forEach(Loop::start);
    }

    public void stop() {
        loops.forEach(Loop::stop);
    }

    /** Another replica goes on at once. */
    public Future<Void> close() {
        return store.release(replica).otherwiseEmpty().eventually(dialer::close);
    }
}
