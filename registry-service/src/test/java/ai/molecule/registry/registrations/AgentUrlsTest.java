package ai.molecule.registry.registrations;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.NameLookup;
import ai.molecule.common.net.SafeDialer;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which URLs an agent may register, with and without SaaS. Development makes no difference here. */
class AgentUrlsTest {

    private static final Map<String, String> NAMES = Map.of(
            "agent.example", "93.184.216.34",
            "inside.example", "10.1.2.3",
            "half-inside.example", "93.184.216.34 10.1.2.3",
            "rebound.example", "127.0.0.1",
            "half-rebound.example", "93.184.216.34 127.0.0.1",
            "v6.example", "2606:4700::1111",
            "localhost.", "127.0.0.1",
            "localhost.localdomain", "127.0.0.1",
            "metadata.google.internal", "169.254.169.254",
            "metadata.aws.example", "fd00:ec2::254");

    private static final Vertx VERTX = Vertx.vertx();

    @AfterAll
    static void stop() {
        VERTX.close().await();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://agent.example:8000/a2a       | yes | yes",
                "https://agent.example/              | yes | yes",
                "HTTPS://AGENT.EXAMPLE               | yes | yes",
                "http://v6.example                   | yes | yes",
                "http://8.8.8.8:8000                 | yes | yes",
                "http://[2606:4700::1111]:8000       | yes | yes",
                "http://localhost:8001               | yes | yes",
                "http://LocalHost:8001/path          | yes | yes",
                "remote://no-inbound                 | yes | yes",
                "http://10.0.0.7:8000                | no  | yes",
                "http://172.16.3.4                   | no  | yes",
                "http://192.168.1.1                  | no  | yes",
                "http://[fd00::7]                    | no  | yes",
                "http://inside.example               | no  | yes",
                "http://half-inside.example          | no  | yes",
                "http://127.0.0.1:8001               | no  | no",
                "http://127.9.9.9                    | no  | no",
                "http://[::1]:8001                   | no  | no",
                "http://[::ffff:127.0.0.1]           | no  | no",
                "http://2130706433                   | no  | no",
                "http://0177.0.0.1                   | no  | no",
                "http://0x7f.1                       | no  | no",
                "http://127.1                        | no  | no",
                "http://0                            | no  | no",
                "http://localhost.                   | no  | no",
                "http://localhost.localdomain        | no  | no",
                "http://rebound.example              | no  | no",
                "http://half-rebound.example         | no  | no",
                "http://nowhere.example              | no  | no",
                "http://metadata.google.internal     | no  | no",
                "http://metadata.aws.example         | no  | no",
                "http://169.254.169.254/latest       | no  | no",
                "http://100.64.0.1                   | no  | no",
                "http://[64:ff9b::a00:1]             | no  | no",
                "http://[2002:a00:1::]               | no  | no",
                "http://user:secret@agent.example    | no  | no",
                "http://user@localhost               | no  | no",
                "remote://user@no-inbound            | no  | no",
                "ftp://localhost                     | no  | no",
                "ftp://agent.example                 | no  | no",
                "file:///etc/passwd                  | no  | no",
                "http://                             | no  | no",
                "agent.example                       | no  | no",
                "http://agent.example:70000          | no  | no",
                "http://localhost:70000              | no  | no",
                "http://agent.example\\@127.0.0.1     | no  | no"
            })
    void an_agent_may_register_what_the_platform_may_dial(String url, String selfHosted, String saas) {
        assertThat(acceptable(url, false)).isEqualTo(selfHosted.equals("yes"));
        assertThat(acceptable(url, true)).isEqualTo(saas.equals("yes"));
    }

    @Test
    void an_operator_opens_a_network_for_agents_outside() {
        var rules = AddressRules.forRegistration(false).opening(List.of("10.1.0.0/16"));

        assertThat(acceptable("http://10.1.2.3:8000", rules)).isTrue();
        assertThat(acceptable("http://10.2.2.3:8000", rules)).isFalse();
    }

    private static boolean acceptable(String url, boolean saas) {
        return acceptable(url, AddressRules.forRegistration(saas));
    }

    private static boolean acceptable(String url, AddressRules rules) {
        var dialer = new SafeDialer(VERTX, rules, Duration.ofSeconds(1), AgentUrlsTest::lookUp, Duration.ZERO);
        return new AgentUrls(dialer)
                .check(url)
                .map(true)
                .otherwise(false)
                .eventually(() -> dialer.close())
                .await();
    }

    /** Literals mean what they say; of names only ours exist. */
    private static InetAddress[] lookUp(String host) throws UnknownHostException {
        if (host.matches("[0-9.]+|.*:.*")) {
            return NameLookup.SYSTEM.addressesOf(host);
        }
        String known = NAMES.get(host.toLowerCase(Locale.ROOT));
        if (known == null) {
            throw new UnknownHostException(host);
        }
        String[] texts = known.split(" ", -1);
        var addresses = new InetAddress[texts.length];
        for (int i = 0; i < texts.length; i++) {
            addresses[i] = InetAddress.getByName(texts[i]);
        }
        return addresses;
    }
}
