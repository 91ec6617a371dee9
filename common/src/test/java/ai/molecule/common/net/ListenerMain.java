package ai.molecule.common.net;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A process that listens at the port it is given, prints the first line of each request and answers {@code ok}, until its input ends. */
public final class ListenerMain {

    private ListenerMain() {}

    public static void main(String[] arguments) throws IOException {
        var server = new ServerSocket(Integer.parseInt(arguments[0]), 50, InetAddress.getByName("127.0.0.1"));
        Thread.ofPlatform().daemon().start(() -> accept(server));
        System.out.println("listening");
        System.in.transferTo(System.err);
    }

    private static void accept(ServerSocket server) {
        while (true) {
            try {
                Socket socket = server.accept();
                Thread.ofPlatform().daemon().start(() -> answer(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void answer(Socket socket) {
        try (socket) {
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                if (line.endsWith("HTTP/1.1")) {
                    System.out.println(line);
                }
            }
            socket.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
                            .getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }
}
