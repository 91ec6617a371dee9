package ai.molecule.common.net;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.socket.nio.NioChannelOption;
import io.vertx.core.VertxBuilder;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.transport.Transport;
import java.net.StandardSocketOptions;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lets Vert.x listen at ports that another process of this user holds (SO_REUSEPORT), which it otherwise does with native transports only. At all
 * other ports nothing changes: two services that are given one port by mistake must not share what comes in.
 */
public final class SharedPorts implements Transport {

    /** Set by the launcher: the ports that it holds, with commas between them. */
    public static final String VARIABLE = "MOLECULE_HELD_PORTS";

    private final Set<Integer> ports;

    private SharedPorts(Set<Integer> ports) {
        this.ports = ports;
    }

    /** The builder as it is where the variables name no port. */
    public static VertxBuilder over(VertxBuilder builder, Map<String, String> variables) {
        var ports = Stream.of(variables.getOrDefault(VARIABLE, "").split(","))
                .filter(port -> port.matches("\\d{1,5}"))
                .map(Integer::valueOf)
                .collect(Collectors.toUnmodifiableSet());
        return ports.isEmpty() ? builder : builder.withTransport(new SharedPorts(ports));
    }

    @Override
    public String name() {
        return "nio";
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        return null;
    }

    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
        return new NioTransport() {
            @Override
            public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
                super.configure(options, domainSocket, bootstrap);
                if (!domainSocket && ports.contains(options.getPort())) {
                    bootstrap.option(NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT), true);
                }
            }
        };
    }
}
