package ai.molecule.cli.ports;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Holds ports, given as addresses and ports in turn, until standard input ends; says so in a line. */
public final class PortKeeperMain {

    static final String HELD = "held";

    private PortKeeperMain() {}

    public static void main(String[] arguments) throws IOException {
        List<HeldPort> held = new ArrayList<>();
        for (int i = 0; i < arguments.length; i += 2) {
            held.add(HeldPort.join(new InetSocketAddress(arguments[i], Integer.parseInt(arguments[i + 1]))));
        }
        System.out.println(HELD);
        while (System.in.read() >= 0) {
            // nothing is ever said
        }
        for (var port : held) {
            port.close();
        }
    }
}
