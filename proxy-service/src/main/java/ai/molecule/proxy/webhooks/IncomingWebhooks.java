package ai.molecule.proxy.webhooks;

import static java.util.Objects.requireNonNull;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.KeepSecret;
import ai.molecule.common.bus.registry.KeptSecret;
import ai.molecule.common.bus.registry.MayAct;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.webhooks.PgWebhooks.Taken;
import ai.molecule.proxy.work.NewWork;
import ai.molecule.proxy.work.Works;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rules about what comes in. Nothing is looked at before its signature; what was taken once, by its id or by its body, is not taken again.
 */
public record IncomingWebhooks(PgWebhooks store, Works works, Bus bus, Clock clock) {

    /** What became of a delivery. */
    sealed interface Outcome {

        /** @param again whether it had been taken before */
        record Accepted(UUID workId, boolean again) implements Outcome {}

        record Ignored() implements Outcome {}
    }

    /** Whether one that is there may be made another one; fails where not. */
    @FunctionalInterface
    interface Changing {
        Future<?> may(Webhook before);
    }

    Future<List<Webhook>> list() {
        return store.list();
    }

    Future<Optional<Webhook>> get(String type) {
        return store.find(type);
    }

    /**
     * Fails with CONFLICT for a type that is somebody else's.
     *
     * @param secret null leaves it as it is, where there is one
     */
    Future<Void> set(Webhook webhook, @Nullable String secret, Changing changing) {
        return store.find(webhook.type()).compose(known -> {
            if (secret == null && known.isEmpty()) {
                throw ApiError.invalid("secret must be at least 16 characters");
            }
            return (known.isEmpty() ? Future.succeededFuture() : changing.may(known.get()))
                    .recover(refused -> Future.failedFuture(elses(refused)))
                    .compose(may -> store.set(webhook, known.map(Webhook::to).orElse(null), secret != null))
                    .compose(stored ->
                            secret == null ? Future.<Void>succeededFuture() : keep(webhook.secretKey(), secret))
                    .onSuccess(set -> tellPaused()); // else the next round does
        });
    }

    /** A name is for one sender, so that it is taken is told; whose it is, is not. */
    private static Throwable elses(Throwable refused) {
        boolean may = !(refused instanceof ApiError error)
                || (error.kind() != ApiError.Kind.FORBIDDEN && error.kind() != ApiError.Kind.NOT_FOUND);
        return may ? refused : PgWebhooks.taken();
    }

    static ApiError unknown() {
        return ApiError.notFound("webhook not found");
    }

    /** Fails with NOT_FOUND. */
    Future<Void> delete(String type) {
        return store.delete(type).compose(deleted -> {
            if (!deleted) {
                throw unknown();
            }
            return keep("webhooks/" + type, null).onSuccess(gone -> tellPaused());
        });
    }

    /**
     * Durable when it completes.
     *
     * @param named the agent that the address names; null where it names none
     */
    Future<Outcome> take(String type, @Nullable UUID named, Proof proof, Buffer body) {
        return find(type, named).compose(found -> {
            var webhook = found.orElseThrow(() -> refusal(type));
            return secretOf(webhook).compose(secret -> {
                proof.check(secret, body, clock.instant());
                var to = webhook.to() == null ? named : webhook.to();
                if (to == null) {
                    throw ApiError.invalid("missing workspace id");
                }
                return requireMaker(webhook, to).compose(may -> take(webhook, to, proof, body));
            });
        });
    }

    /** An agent's own goes before the one for all: whoever may sign for all signs nothing for that agent then. */
    private Future<Optional<Webhook>> find(String type, @Nullable UUID named) {
        return named == null
                ? store.find(type)
                : store.find(Webhook.githubOf(named))
                        .compose(own -> own.isPresent() ? Future.succeededFuture(own) : store.find(type));
    }

    /** Whose secret it is must be one who may still act there: it is as good as a token. Only who signs rightly learns of it. */
    private Future<Void> requireMaker(Webhook webhook, UUID to) {
        var maker = webhook.made().endsWith();
        return maker == null
                ? Future.succeededFuture()
                : bus.call(MayAct.CONTRACT, new MayAct(List.of(new MayAct.Asked(maker, to))))
                        .map(answers -> {
                            if (!answers.may().getFirst()) {
                                throw ApiError.forbidden(
                                        "this webhook is paused, because whoever set its secret may not act for the agent any more: set a new secret");
                            }
                            return null;
                        });
    }

    /** The types of those that take nothing. */
    Future<Set<String>> paused(List<Webhook> webhooks) {
        var bound = webhooks.stream()
                .filter(one -> one.to() != null && one.made().endsWith() != null)
                .toList();
        if (bound.isEmpty()) {
            return Future.succeededFuture(Set.of());
        }
        var asked = bound.stream()
                .map(one -> new MayAct.Asked(requireNonNull(one.made().endsWith()), requireNonNull(one.to())))
                .toList();
        return bus.call(MayAct.CONTRACT, new MayAct(asked))
                .map(answers -> IntStream.range(0, bound.size())
                        .filter(n -> !answers.may().get(n))
                        .mapToObj(n -> bound.get(n).type())
                        .collect(Collectors.toUnmodifiableSet()));
    }

    /**
     * Tells the inbox which webhooks take nothing, because whoever set their secret left or lost the right, and which take something again. Idempotent;
     * fails where the registry does not say who may act.
     */
    public Future<Integer> tellPaused() {
        return store.list()
                .compose(all -> paused(all)
                        .compose(types -> store.tellPaused(all.stream()
                                .filter(one -> types.contains(one.type()))
                                .toList())));
    }

    /** As of one that is wrongly signed: who cannot sign learns of no type whether it is there. */
    private static ApiError refusal(String type) {
        return type.equals(Webhook.GITHUB)
                ? ApiError.unavailable("github webhook secret is not configured")
                : Proof.wrong();
    }

    private Future<Outcome> take(Webhook webhook, UUID to, Proof proof, Buffer body) {
        var delivery =
                new Delivery(proof.deliveryId(), proof.event(), body.toString(StandardCharsets.UTF_8), read(body));
        if (!webhook.wants(delivery)) {
            return Future.succeededFuture(new Outcome.Ignored());
        }
        var taken = new Taken(delivery.id(), digest(to, proof.signed(body)), digest(to, body), UUID.randomUUID());
        return store.taken(webhook.type(), to, delivery.id(), taken.digest())
                .compose(before ->
                        before.isPresent() ? again(before.get(), taken) : begin(webhook, to, delivery, taken));
    }

    private Future<Outcome> begin(Webhook webhook, UUID to, Delivery delivery, Taken taken) {
        var work = NewWork.told(
                        taken.workId(),
                        to,
                        webhook.title().fill(delivery),
                        webhook.brief().fill(delivery),
                        webhook.limit())
                .reading(SendersWords.of(webhook, delivery, taken.workId()));
        return works.begin(work, "webhook:" + webhook.sender(), store.taking(webhook.type(), to, taken))
                .compose(begun -> begun
                        ? Future.succeededFuture(new Outcome.Accepted(work.id(), false))
                        : store.taken(webhook.type(), to, delivery.id(), taken.digest())
                                .compose(first -> again(
                                        first.orElseThrow(() -> ApiError.unavailable("the delivery is being taken")),
                                        taken)));
    }

    /** The same again is no fault of its sender, also signed at another time; under another name, or with another body, it is a replay. */
    private static Future<Outcome> again(Taken first, Taken now) {
        if (!first.deliveryId().equals(now.deliveryId())) {
            throw ApiError.conflict("this was delivered before, under another id");
        }
        if (!first.bodyDigest().equals(now.bodyDigest())) {
            throw ApiError.conflict("another body was delivered under this id");
        }
        return Future.succeededFuture(new Outcome.Accepted(first.workId(), true));
    }

    private Future<String> secretOf(Webhook webhook) {
        return bus.call(KeptSecret.CONTRACT, new KeptSecret(webhook.secretKey()))
                .map(kept -> {
                    var secret = kept.value();
                    if (secret == null) {
                        throw ApiError.unavailable("the webhook's secret is not kept, or cannot be decrypted");
                    }
                    return secret;
                });
    }

    private Future<Void> keep(String key, @Nullable String secret) {
        return bus.call(KeepSecret.CONTRACT, new KeepSecret(key, secret)).mapEmpty();
    }

    private static JsonNode read(Buffer body) {
        try {
            return Json.parse(body.getBytes());
        } catch (IOException malformed) {
            throw ApiError.invalid("the body must be JSON");
        }
    }

    private static Buffer digest(UUID to, Buffer said) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(to.toString().getBytes(StandardCharsets.US_ASCII));
            return Buffer.buffer(digest.digest(said.getBytes()));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
