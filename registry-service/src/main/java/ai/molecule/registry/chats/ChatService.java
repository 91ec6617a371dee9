package ai.molecule.registry.chats;

import ai.molecule.common.ApiError;
import ai.molecule.common.audit.Actor;
import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Role;
import ai.molecule.common.bus.registry.DecideApproval;
import ai.molecule.common.bus.registry.LinkChat;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.redis.FixedWindow;
import ai.molecule.registry.approvals.ApprovalService;
import ai.molecule.registry.approvals.Decision;
import ai.molecule.registry.approvals.Decision.Decider;
import ai.molecule.registry.tokens.TokenService;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The rules about people at a messenger.
 *
 * @param tries how many codes one sender may try
 * @param guesses how many all senders together may
 */
public record ChatService(
        PgChatCodeStore store,
        TokenService tokens,
        ApprovalService approvals,
        FixedWindow tries,
        FixedWindow guesses,
        Clock clock) {

    private static final Duration LIFE = Duration.ofMinutes(10);

    /** Consonants, so that no code is a word, and none that look alike. */
    private static final String LETTERS = "BCDFGHJKLMNPQRSTVWXZ";

    private static final int HALF = 4;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** What is shown this once. */
    record Made(String code, Instant expiresAt) {}

    Future<Made> code(UUID person, Role role, @Nullable UUID branch, Duration life) {
        var made = new Made(letters(), clock.instant().plus(LIFE));
        return store.put(person, made.code, role, branch, life, made.expiresAt).map(made);
    }

    /** Serves {@link LinkChat}: a wrong code, one too late and one too many are the same answer. */
    public Future<LinkChat.Linked> link(LinkChat said) {
        String code = said.code().toUpperCase(Locale.ROOT).replaceAll("[^A-Z]", "");
        if (code.length() != 2 * HALF) {
            return Future.succeededFuture(new LinkChat.Linked(null, null));
        }
        String dashed = code.substring(0, HALF) + "-" + code.substring(HALF);
        return Future.all(tries.count(said.channel() + ":" + said.sender()), guesses.count(said.channel()))
                .compose(counted -> counted.<FixedWindow.Count>resultAt(0).exceeded()
                                || counted.<FixedWindow.Count>resultAt(1).exceeded()
                        ? Future.succeededFuture(new LinkChat.Linked(null, null))
                        : take(dashed, said));
    }

    private Future<LinkChat.Linked> take(String code, LinkChat said) {
        return store.find(code, clock.instant()).compose(login -> {
            if (login.isEmpty()) {
                return Future.succeededFuture(new LinkChat.Linked(null, null));
            }
            // the record has who the code was shown to, and how it came back
            Actor.of("person", login.get(), said.channel() + ":" + said.sender(), null, null)
                    .acts();
            return store.take(code, said.channel(), clock.instant())
                    .map(hash -> new LinkChat.Linked(hash == null ? null : login.get(), hash));
        });
    }

    /** Serves {@link DecideApproval}: as the person decides at the page, with another credential in the record. */
    public Future<DecideApproval.Decided> decide(DecideApproval asked) {
        return tokens.verify(new VerifyToken(asked.tokenHash(), asked.workspaceId()))
                .compose(verdict -> {
                    Person person = verdict.person();
                    if (person == null || person.there() == null) {
                        return Future.failedFuture(ApprovalService.unknown());
                    }
                    if (!person.there().covers(Role.OPERATOR)) {
                        return Future.failedFuture(ApiError.forbidden("this asks for the role of an operator"));
                    }
                    String with = asked.channel()
                            + person.credential().substring(person.credential().indexOf(':'));
                    Actor.of("person", person.login(), with, null, null).acts();
                    var decision = new Decision(
                            asked.approved(),
                            person.login(),
                            with,
                            Duration.ZERO,
                            asked.digest(),
                            asked.channel(),
                            new Decider(person.login(), person.there()));
                    return approvals
                            .decide(asked.workspaceId(), asked.approvalId(), decision)
                            .map(done ->
                                    new DecideApproval.Decided(asked.approved() ? "approved" : "denied", done.waits()));
                });
    }

    public Future<Void> sweep() {
        return store.forget(clock.instant());
    }

    private static String letters() {
        var code = new StringBuilder();
        for (int i = 0; i < 2 * HALF; i++) {
            code.append(i == HALF ? "-" : "").append(LETTERS.charAt(RANDOM.nextInt(LETTERS.length())));
        }
        return code.toString();
    }
}
