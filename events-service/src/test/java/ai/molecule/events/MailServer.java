package ai.molecule.events;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.parsetools.RecordParser;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** An SMTP server that takes every mail (RFC 5321), asking for a password where it is told to (RFC 4954). */
final class MailServer {

    final List<String> commands = new CopyOnWriteArrayList<>();
    final List<String> mails = new CopyOnWriteArrayList<>();
    private final NetServer server;

    MailServer(Vertx vertx) {
        server = vertx.createNetServer()
                .connectHandler(this::serve)
                .listen(0, "127.0.0.1")
                .await();
    }

    String url() {
        return "smtp://127.0.0.1:" + server.actualPort();
    }

    private void serve(NetSocket socket) {
        var mail = new StringBuilder();
        boolean[] data = {false};
        socket.handler(RecordParser.newDelimited("\r\n", line -> {
            String said = line.toString();
            if (data[0]) {
                if (said.equals(".")) {
                    data[0] = false;
                    mails.add(mail.toString());
                    mail.setLength(0);
                    socket.write("250 taken\r\n");
                } else {
                    mail.append(said).append('\n');
                }
                return;
            }
            commands.add(said);
            String verb = said.split("[ :]", 2)[0].toUpperCase(Locale.ROOT);
            switch (verb) {
                case "EHLO" -> socket.write("250-here\r\n250-AUTH PLAIN\r\n250 8BITMIME\r\n");
                case "AUTH" -> socket.write("235 welcome\r\n");
                case "DATA" -> {
                    data[0] = true;
                    socket.write("354 go on\r\n");
                }
                case "QUIT" -> socket.write("221 bye\r\n").onComplete(written -> socket.close());
                default -> socket.write("250 fine\r\n");
            }
        }));
        socket.write("220 here\r\n");
    }
}
