package ai.molecule.provisioner.backend;

import ai.molecule.common.config.Env;
import ai.molecule.common.net.PortClaims;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Ports for agents, from a range that systems do not hand to outgoing connections, so that a stopped agent's port stays free. */
public record FreePorts(int first, int last, RandomGenerator random) {

    public static final FreePorts AGENTS = new FreePorts(20_000, 31_999, RandomGenerator.getDefault());

    static final String SETTING = "MOLECULE_AGENT_PORTS";

    private static final Pattern RANGE = Pattern.compile("(\\d{4,5})-(\\d{4,5})");

    /** Others need rights to listen at. */
    private static final int LOWEST = 1_024;

    /** Behind it systems hand ports to outgoing connections, and an agent's user is counted by its port. */
    private static final int HIGHEST = 32_767;

    /** Ports rest for a while after their agent ended, so a few more are wanted than there are agents. */
    private static final int COUNT_MIN = 10;

    /** {@code MOLECULE_AGENT_PORTS}, such as {@code 24000-24999}; {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static FreePorts fromEnv(Env env) {
        String said = env.find(SETTING);
        if (said == null) {
            return AGENTS;
        }
        var range = RANGE.matcher(said);
        if (range.matches()) {
            int first = Integer.parseInt(range.group(1));
            int last = Integer.parseInt(range.group(2));
            if (first >= LOWEST && last <= HIGHEST && last - first + 1 >= COUNT_MIN) {
                return new FreePorts(first, last, AGENTS.random);
            }
        }
        throw new IllegalArgumentException("%s must be a range of at least %d ports from %d to %d, such as 24000-24999"
                .formatted(SETTING, COUNT_MIN, LOWEST, HIGHEST));
    }

    /**
     * Starts at a random place, so that two platforms on one machine rarely try the same ones, and takes none that another was given.
     *
     * @param wanted the port it had, which it gets again while that is free and of the range
     */
    public int choose(@Nullable Integer wanted, Set<Integer> taken) throws IOException {
        if (wanted != null && wanted >= first && wanted <= last && !taken.contains(wanted) && isFree(wanted)) {
            PortClaims.claim(wanted); // whose ever it was, an agent keeps its address
            return wanted;
        }
        int count = last - first + 1;
        int start = random.nextInt(count);
        for (int i = 0; i < count; i++) {
            int port = first + (start + i) % count;
            if (!taken.contains(port) && PortClaims.claim(port) && isFree(port)) {
                return port;
            }
        }
        throw new IOException("no free port from %d to %d".formatted(first, last));
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true); // connections that still linger do not count
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
