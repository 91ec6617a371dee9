package ai.molecule.events.notifications;

import ai.molecule.common.auth.Ids;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.KeptSecret;
import ai.molecule.events.chats.Chats;
import ai.molecule.events.chats.NotTaken;
import io.vertx.core.Future;

/** Tells a target, with the secret that the registry keeps for it. */
record Senders(HttpSender http, MailSender mail, Chats chats, Bus bus) {

    /** False where whom it tells may not hear of it; fails with {@link NotDelivered}. */
    Future<Boolean> send(Target target, Note note) {
        return target.channel() == Channel.TELEGRAM ? chat(target, note) : withItsSecret(target, note);
    }

    private Future<Boolean> chat(Target target, Note note) {
        String link = note.link().isEmpty() ? "" : "\n" + note.link();
        return chats.tell(
                        target.id(),
                        Ids.find(note.workspaceId()).orElse(null),
                        note.title() + "\n" + note.whole() + link,
                        note.decidable())
                .recover(failure -> Future.failedFuture(
                        failure instanceof NotTaken said
                                ? new NotDelivered(said.why(), said.forGood())
                                : new NotDelivered("it cannot be told at the moment")));
    }

    private Future<Boolean> withItsSecret(Target target, Note note) {
        return bus.call(KeptSecret.CONTRACT, new KeptSecret(Target.secretOf(target.id())))
                .recover(away -> Future.failedFuture(new NotDelivered("its secret cannot be had at the moment")))
                .compose(kept -> {
                    var secret = kept.value();
                    if (secret == null) {
                        return Future.failedFuture(new NotDelivered("its secret is not kept, or cannot be decrypted"));
                    }
                    return (target.channel() == Channel.EMAIL
                                    ? mail.send(target, secret, note)
                                    : http.send(target, secret, note))
                            .map(true);
                });
    }
}
