package ai.molecule.events.notifications;

import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.NameLookup;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.mail.LoginOption;
import io.vertx.ext.mail.MailClient;
import io.vertx.ext.mail.MailConfig;
import io.vertx.ext.mail.MailMessage;
import io.vertx.ext.mail.StartTLSOptions;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells targets by mail, over TLS unless the target says otherwise. Every address of the server's name must pass the rules; without TLS the
 * one that passed is connected to, with it the server's certificate says that it is the one that is meant.
 */
record MailSender(Vertx vertx, AddressRules rules) {

    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Duration LOOKUP = Duration.ofSeconds(5);

    /** Fails with {@link NotDelivered}. */
    Future<Void> send(Target target, String password, Note note) {
        var mail = target.mail();
        if (mail == null) {
            return Future.failedFuture(new NotDelivered("it has no address of mail"));
        }
        var server = URI.create(target.url());
        return vertx.executeBlocking(() -> permitted(server.getHost()), false)
                .timeout(LOOKUP.toMillis(), TimeUnit.MILLISECONDS)
                .recover(failure -> Future.failedFuture(
                        failure instanceof NotDelivered said
                                ? said
                                : new NotDelivered("the mail server has no address")))
                .compose(address -> {
                    var config = config(server, mail, address, password);
                    var client = MailClient.create(vertx, config);
                    return client.sendMail(message(mail, target, note))
                            .timeout(WAIT.toMillis(), TimeUnit.MILLISECONDS)
                            .eventually(client::close);
                })
                .<Void>mapEmpty()
                .recover(failure -> Future.failedFuture(
                        failure instanceof NotDelivered said ? said : new NotDelivered("the mail server refused it")));
    }

    private InetAddress permitted(String host) throws UnknownHostException {
        var addresses =
                NameLookup.SYSTEM.addressesOf(host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
        for (var address : addresses) {
            if (!rules.allows(address)) {
                throw new NotDelivered("the address is not publicly routable");
            }
        }
        return addresses[0];
    }

    private static MailConfig config(URI server, Target.Mail mail, InetAddress address, String password) {
        @Nullable String user = mail.user();
        var config = new MailConfig()
                .setHostname(mail.plain() ? address.getHostAddress() : server.getHost())
                .setPort(server.getPort())
                .setSsl(!mail.plain() && "smtps".equals(server.getScheme()))
                .setStarttls(
                        mail.plain() || "smtps".equals(server.getScheme())
                                ? StartTLSOptions.DISABLED
                                : StartTLSOptions.REQUIRED)
                .setLogin(user == null ? LoginOption.DISABLED : LoginOption.REQUIRED)
                .setKeepAlive(false)
                .setOwnHostname("molecule");
        return user == null ? config : config.setUsername(user).setPassword(password);
    }

    private static MailMessage message(Target.Mail mail, Target target, Note note) {
        String link = note.link().isEmpty() ? "" : "\n\n" + note.link();
        var message = new MailMessage()
                .setFrom(mail.from())
                .setTo(mail.to())
                .setSubject(oneLine(note.title()))
                .setText(note.whole() + link + "\n\n-- \nMolecule, for " + target.who() + "\n");
        message.addHeader("Message-ID", "<%s@molecule.invalid>".formatted(note.id()));
        message.addHeader("Auto-Submitted", "auto-generated");
        return message;
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}+", " ");
    }
}
