package ai.molecule.events.notifications;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.KeepSecret;
import ai.molecule.common.bus.registry.KeptSecret;
import ai.molecule.common.net.SafeDialer;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The rules about who is told. A secret is kept by the registry, and nobody gets it back. */
record NotificationService(
        PgTargetStore targets, Senders senders, NotificationRounds rounds, SafeDialer dialer, Bus bus, Clock clock) {

    Future<List<PgTargetStore.Kept>> list() {
        return targets.list();
    }

    /** The secret first: a target without one would tell nobody. */
    Future<Void> create(TargetBody wanted) {
        var target = wanted.target();
        return permitted(wanted)
                .compose(allowed -> keep(target.id(), wanted.secret()))
                .compose(kept -> targets.insert(target, digestDue(target)))
                .recover(refused -> forget(target.id()).compose(gone -> Future.failedFuture(refused)));
    }

    /**
     * What waits is told by what is right now. Fails with NOT_FOUND, and with INVALID where the secret that is kept would go to another
     * server.
     */
    Future<Void> change(UUID id, Function<Target, TargetBody> change) {
        return find(id).compose(old -> {
            var wanted = change.apply(old);
            var target = wanted.target();
            return permitted(wanted)
                    .compose(allowed ->
                            wanted.secret() == null ? requireForServer(target, old) : keep(id, wanted.secret()))
                    .compose(kept -> targets.change(target, digestDue(target)));
        });
    }

    /** What it was still to be told goes with it. Fails with NOT_FOUND. */
    Future<Void> delete(UUID id) {
        return targets.delete(id)
                .compose(deleted -> deleted ? forget(id) : Future.failedFuture(PgTargetStore.unknown()));
    }

    /** Whatever the hour, and whoever stands in. Fails with NOT_FOUND, and with BAD_GATEWAY where it was not taken. */
    Future<Void> test(UUID id) {
        return find(id).compose(target -> senders.send(target, rounds.test(UUID.randomUUID()))
                .<Void>compose(told -> told
                        ? Future.succeededFuture()
                        : Future.failedFuture(new NotDelivered("whom it tells is not known, or may not hear of it")))
                .recover(failure -> failure instanceof NotDelivered said
                        ? Future.failedFuture(new ApiError(ApiError.Kind.BAD_GATEWAY, "not delivered: " + said.why()))
                        : Future.failedFuture(failure)));
    }

    private Future<Target> find(UUID id) {
        return targets.find(id).map(found -> found.orElseThrow(PgTargetStore::unknown));
    }

    private Future<Void> permitted(TargetBody wanted) {
        var target = wanted.target();
        String url = target.channel() == Channel.SLACK ? wanted.secret() : target.url();
        if (target.channel() == Channel.EMAIL || target.channel() == Channel.TELEGRAM || url == null) {
            return Future.succeededFuture();
        }
        return dialer.permits(url).map(permitted -> {
            if (!permitted) {
                throw ApiError.invalid("url is not publicly routable");
            }
            return null;
        });
    }

    /** Nobody is shown a secret that is kept, so whoever moves a target to a server of theirs is not told it there either. */
    private Future<Void> requireForServer(Target target, Target old) {
        return target.isElsewhere(old)
                ? bus.call(KeptSecret.CONTRACT, new KeptSecret(Target.secretOf(target.id())))
                        .map(kept -> {
                            if (!"".equals(kept.value())) {
                                throw ApiError.invalid(
                                        "secret must be given again: it would go to another server, or without TLS");
                            }
                            return null;
                        })
                : Future.succeededFuture();
    }

    private @Nullable Instant digestDue(Target target) {
        return target.times().digestAfter(clock.instant()).orElse(null);
    }

    private Future<Void> keep(UUID id, @Nullable String secret) {
        return bus.call(KeepSecret.CONTRACT, new KeepSecret(Target.secretOf(id), secret))
                .mapEmpty();
    }

    /** One that stays behind opens nothing. */
    private Future<Void> forget(UUID id) {
        return keep(id, null).otherwiseEmpty();
    }
}
