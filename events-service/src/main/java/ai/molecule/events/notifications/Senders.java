package ai.molecule.events.notifications;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.KeptSecret;
import io.vertx.core.Future;

/** Tells a target, with the secret that the registry keeps for it. */
record Senders(HttpSender http, MailSender mail, Bus bus) {

    /** Fails with {@link NotDelivered}. */
    Future<Void> send(Target target, Note note) {
        return bus.call(KeptSecret.CONTRACT, new KeptSecret(Target.secretOf(target.id())))
                .recover(away -> Future.failedFuture(new NotDelivered("its secret cannot be had at the moment")))
                .compose(kept -> {
                    var secret = kept.value();
                    if (secret == null) {
                        return Future.failedFuture(new NotDelivered("its secret is not kept, or cannot be decrypted"));
                    }
                    return target.channel() == Channel.EMAIL
                            ? mail.send(target, secret, note)
                            : http.send(target, secret, note);
                });
    }
}
