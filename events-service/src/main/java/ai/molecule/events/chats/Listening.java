package ai.molecule.events.chats;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Role;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.AskForWork;
import ai.molecule.common.bus.registry.DecideApproval;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.LinkChat;
import ai.molecule.common.db.Sql;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.loops.InTurn;
import ai.molecule.common.text.VisibleText;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.events.chats.Incoming.Pressed;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is done about what the bot was told. What has an effect elsewhere is asked for under an id that follows from the update, so that the
 * same again has none; what is to be kept here is answered, for the transaction that goes on behind the update.
 */
record Listening(PgChatStore store, Rights rights, OrgChartCache charts, Bus bus) {

    /** Of one person, not answered yet. */
    private static final int OPEN_MAX = 20;

    private static final int NAMED_MAX = 10;

    private static final String HELP =
            "Write “@name what you want” to an agent; what you write without a name goes to the one"
                    + " you wrote to last. What waits for you is told here, approvals with buttons. “/stop” ends it.";

    private static final String CHANGED =
            "It is not what was shown here: it was changed meanwhile. Nothing was decided; read it in the inbox.";

    /** Nothing is kept, and nobody hears anything. */
    private static final Function<Sql, Future<?>> NOTHING = transaction -> Future.succeededFuture();

    /** What is to be kept; fails where the same is to be tried again. */
    Future<Function<Sql, Future<?>>> to(Incoming said, String bot) {
        return store.find(said.sender()).compose(found -> {
            var code = said.code();
            if (code.isPresent()) {
                return link(said.sender(), code.get());
            }
            if (found.isEmpty()) {
                return Future.succeededFuture(NOTHING); // strangers hear nothing, not even that
            }
            var chat = found.get();
            var pressed = said.pressed();
            return rights.of(chat, null).compose(standing -> {
                if (!standing.known()) {
                    return Future.succeededFuture(transaction -> PgChatStore.unlink(transaction, chat.sender()));
                }
                return pressed == null ? words(chat, said, bot) : decide(chat, pressed);
            });
        });
    }

    private Future<Function<Sql, Future<?>>> link(String sender, String code) {
        return bus.call(LinkChat.CONTRACT, new LinkChat(code, PgChatStore.TELEGRAM, sender))
                .map(linked -> {
                    var login = linked.login();
                    var hash = linked.tokenHash();
                    if (login == null || hash == null) {
                        return NOTHING;
                    }
                    return transaction -> PgChatStore.link(transaction, sender, login, hash)
                            .compose(made -> PgChatStore.reply(
                                    transaction, sender, "You are known here as %s. %s".formatted(login, HELP)));
                });
    }

    private Future<Function<Sql, Future<?>>> words(Chat chat, Incoming said, String bot) {
        String text = said.text() == null ? "" : said.text().strip();
        if (text.equals("/stop")) {
            return Future.succeededFuture(transaction -> PgChatStore.unlink(transaction, chat.sender()));
        }
        if (text.isEmpty() || text.equals("/start") || text.equals("/help")) {
            return saying(chat, text.isEmpty() ? "Only words are read here." : HELP);
        }
        return charts.current().compose(chart -> {
            var addressed = addressed(text, chart.entries().values());
            return addressed.isEmpty() ? toTheLast(chat, said, text, bot) : named(chat, addressed, said, text, bot);
        });
    }

    /** Whose name it begins with, the longest first; empty where it names nobody. */
    private static List<Directory.Entry> addressed(String text, Iterable<Directory.Entry> all) {
        List<Directory.Entry> found = new ArrayList<>();
        for (var entry : all) {
            boolean there = entry.status() != WorkspaceStatus.REMOVED && entry.admitted();
            if (there && rest(text, entry.name()).isPresent() && found.size() < NAMED_MAX) {
                found.add(entry);
            }
        }
        found.sort(
                Comparator.comparingInt((Directory.Entry entry) -> entry.name().length())
                        .reversed());
        return found;
    }

    /** What is said to somebody of that name. */
    private static Optional<String> rest(String text, String name) {
        String begin = "@" + name.toLowerCase(Locale.ROOT);
        boolean begins = !name.isBlank()
                && text.length() >= begin.length()
                && text.substring(0, begin.length()).toLowerCase(Locale.ROOT).equals(begin);
        if (!begins) {
            return Optional.empty();
        }
        String after = text.substring(begin.length());
        return after.isEmpty() || !Character.isLetterOrDigit(after.codePointAt(0))
                ? Optional.of(after.replaceFirst("^[\\s:,]+", ""))
                : Optional.empty();
    }

    /** The first that the person may see; whom it may not see is nobody. */
    private Future<Function<Sql, Future<?>>> named(
            Chat chat, List<Directory.Entry> addressed, Incoming said, String text, String bot) {
        return InTurn.each(addressed, entry -> rights.of(chat, entry.id())).compose(standings -> {
            for (int nth = 0; nth < addressed.size(); nth++) {
                var entry = addressed.get(nth);
                if (standings.get(nth).role() != null) {
                    return tell(
                            chat,
                            entry,
                            standings.get(nth),
                            said,
                            rest(text, entry.name()).orElse(""),
                            bot);
                }
            }
            return saying(chat, "There is nobody of that name.");
        });
    }

    private Future<Function<Sql, Future<?>>> toTheLast(Chat chat, Incoming said, String text, String bot) {
        var last = chat.speaksTo();
        if (text.startsWith("@") || last == null) {
            return saying(chat, last == null ? "Say to whom: “@name what you want”." : "There is nobody of that name.");
        }
        return charts.find(last)
                .compose(found -> found.isEmpty()
                        ? saying(chat, "It is not there any more. Say to whom: “@name what you want”.")
                        : rights.of(chat, last)
                                .compose(standing -> tell(chat, found.get(), standing, said, text, bot)));
    }

    private Future<Function<Sql, Future<?>>> tell(
            Chat chat, Directory.Entry agent, Rights.Standing standing, Incoming said, String words, String bot) {
        if (!standing.covers(Role.OPERATOR)) {
            return saying(
                    chat,
                    standing.role() == null ? "There is nobody of that name." : "You may look there, and not ask.");
        }
        if (words.isBlank()) {
            return Future.succeededFuture(transaction -> PgChatStore.speakTo(transaction, chat.sender(), agent.id())
                    .compose(done -> PgChatStore.reply(
                            transaction, chat.sender(), "What you write now goes to %s.".formatted(agent.name()))));
        }
        return store.open(chat.sender()).compose(open -> {
            if (open >= OPEN_MAX) {
                return saying(chat, "Not taken: %d of yours are not answered yet.".formatted(OPEN_MAX));
            }
            var work = idOf(bot + ":" + said.updateId());
            var asked = new AskForWork(
                    work,
                    agent.id(),
                    words,
                    "person:%s (telegram)".formatted(chat.login()),
                    idOf(chat.sender() + ":" + agent.id()).toString());
            return bus.call(AskForWork.CONTRACT, asked)
                    .<Function<Sql, Future<?>>>map(
                            taken -> transaction -> PgChatStore.asked(transaction, chat.sender(), work, agent.id()))
                    .recover(failure -> failure instanceof ApiError error && error.kind() == ApiError.Kind.NOT_FOUND
                            ? saying(chat, "%s is not there any more.".formatted(agent.name()))
                            : Future.failedFuture(failure));
        });
    }

    private Future<Function<Sql, Future<?>>> decide(Chat chat, Pressed pressed) {
        return store.waiting(pressed.inboxId()).compose(found -> {
            String approval =
                    found.map(row -> row.details().path("approval_id").asText()).orElse("");
            if (found.isEmpty() || approval.isEmpty()) {
                return saying(chat, "It waits no more.");
            }
            var row = found.get();
            String digest = row.details().path("digest").asText();
            if (!digest.startsWith(pressed.digest())) {
                return saying(chat, CHANGED);
            }
            var asked = new DecideApproval(
                    row.workspaceId(),
                    UUID.fromString(approval),
                    pressed.yes(),
                    PgChatStore.TELEGRAM,
                    chat.tokenHash(),
                    pressed.digest().isEmpty() ? null : digest);
            return bus.call(DecideApproval.CONTRACT, asked)
                    .compose(decided -> saying(
                            chat,
                            "%s: %s%s"
                                    .formatted(
                                            decided.status().equals("approved") ? "Approved" : "Denied",
                                            VisibleText.lines(row.words()),
                                            decided.waits() == null ? "" : "\n" + decided.waits())))
                    .recover(failure ->
                            failure instanceof ApiError error ? refused(chat, error) : Future.failedFuture(failure));
        });
    }

    /** Where a rule says who decides, its own words say who may. */
    private static Future<Function<Sql, Future<?>>> refused(Chat chat, ApiError error) {
        var code = error.details().get(DecideApproval.CODE);
        boolean byRule = DecideApproval.NOT_A_DECIDER.equals(code) || DecideApproval.APPROVED_ALREADY.equals(code);
        return switch (error.kind()) {
            case NOT_FOUND -> saying(chat, "It was decided already.");
            case CONFLICT -> saying(chat, byRule ? "Not decided: " + error.publicMessage() : CHANGED);
            case FORBIDDEN ->
                saying(chat, byRule ? "Not decided: " + error.publicMessage() : "You may look there, and not decide.");
            default -> Future.failedFuture(error);
        };
    }

    /** Of what could not be taken however often it was tried. */
    Function<Sql, Future<?>> givenUp(String sender) {
        return transaction -> PgChatStore.reply(
                transaction, sender, "What you wrote could not be taken just now. Say it again later.");
    }

    private static Future<Function<Sql, Future<?>>> saying(Chat chat, String words) {
        return Future.succeededFuture(transaction -> PgChatStore.reply(transaction, chat.sender(), words));
    }

    /** The same for the same. */
    private static UUID idOf(String what) {
        return UUID.nameUUIDFromBytes((PgChatStore.TELEGRAM + ":" + what).getBytes(StandardCharsets.UTF_8));
    }

    /** In words of the chat. */
    static String answer(@Nullable String name, String state, @Nullable String said) {
        String who = name == null ? "The agent" : name;
        String words = said == null ? "" : said.strip();
        return switch (state) {
            case "done" -> "%s:\n%s".formatted(who, words.isEmpty() ? "(no words)" : words);
            case "stopped" -> who + " was stopped.";
            case "gone" -> "What %s was asked is kept no more.".formatted(who);
            default -> "%s could not do it.%s".formatted(who, words.isEmpty() ? "" : "\n" + words);
        };
    }
}
