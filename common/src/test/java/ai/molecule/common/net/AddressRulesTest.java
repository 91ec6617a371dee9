package ai.molecule.common.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which addresses may be dialled and registered, and which never. */
class AddressRulesTest {

    private static final AddressRules PRODUCTION = AddressRules.forDialling(false, false);
    private static final AddressRules SAAS = AddressRules.forDialling(false, true);
    private static final AddressRules DEVELOPMENT = AddressRules.forDialling(true, false);
    private static final AddressRules REGISTERED = AddressRules.forRegistration(false);
    private static final AddressRules REGISTERED_SAAS = AddressRules.forRegistration(true);

    /** First and last of each range, and what lies just outside. */
    @ParameterizedTest
    @CsvSource({
        // address,          production, saas, development, registered, registered in saas
        "8.8.8.8,                  yes, yes, yes, yes, yes",
        "9.255.255.255,            yes, yes, yes, yes, yes",
        "11.0.0.0,                 yes, yes, yes, yes, yes",
        "100.63.255.255,           yes, yes, yes, yes, yes",
        "100.128.0.0,              yes, yes, yes, yes, yes",
        "172.15.255.255,           yes, yes, yes, yes, yes",
        "172.32.0.0,               yes, yes, yes, yes, yes",
        "192.0.1.0,                yes, yes, yes, yes, yes",
        "192.167.255.255,          yes, yes, yes, yes, yes",
        "198.17.255.255,           yes, yes, yes, yes, yes",
        "198.20.0.0,               yes, yes, yes, yes, yes",
        "223.255.255.255,          yes, yes, yes, yes, yes",
        "2606:4700::1111,          yes, yes, yes, yes, yes",
        "2001:200::1,              yes, yes, yes, yes, yes",
        "::ffff:8.8.8.8,           yes, yes, yes, yes, yes",
        "10.0.0.0,                 no,  yes, yes, no,  yes",
        "10.255.255.255,           no,  yes, yes, no,  yes",
        "172.16.0.0,               no,  yes, yes, no,  yes",
        "172.31.255.255,           no,  yes, yes, no,  yes",
        "192.168.0.0,              no,  yes, yes, no,  yes",
        "192.168.255.255,          no,  yes, yes, no,  yes",
        "::ffff:10.0.0.1,          no,  yes, yes, no,  yes",
        "fd00::1,                  no,  yes, yes, no,  yes",
        "fdff:ffff::1,             no,  yes, yes, no,  yes",
        "127.0.0.1,                no,  no,  yes, no,  no",
        "127.255.255.255,          no,  no,  yes, no,  no",
        "::1,                      no,  no,  yes, no,  no",
        "::ffff:127.0.0.1,         no,  no,  yes, no,  no"
    })
    void the_mode_decides_about_private_and_own_addresses(
            String address, String production, String saas, String development, String registered, String inSaas)
            throws UnknownHostException {
        var resolved = InetAddress.getByName(address);

        assertThat(PRODUCTION.allows(resolved)).isEqualTo(production.equals("yes"));
        assertThat(SAAS.allows(resolved)).isEqualTo(saas.equals("yes"));
        assertThat(DEVELOPMENT.allows(resolved)).isEqualTo(development.equals("yes"));
        assertThat(REGISTERED.allows(resolved)).isEqualTo(registered.equals("yes"));
        assertThat(REGISTERED_SAAS.allows(resolved)).isEqualTo(inSaas.equals("yes"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.255.255.255",
                "100.64.0.0", // carrier-grade NAT
                "100.127.255.255",
                "100.100.100.200", // metadata at Alibaba
                "169.254.0.0",
                "169.254.169.254", // metadata nearly everywhere
                "169.254.255.255",
                "168.63.129.16", // Azure's wire server
                "192.0.0.0",
                "192.0.0.192", // metadata at Oracle
                "192.0.2.1", // documentation
                "198.51.100.7",
                "203.0.113.9",
                "192.88.99.1", // 6to4 relays
                "198.18.0.0", // benchmarking
                "198.19.255.255",
                "224.0.0.1", // multicast
                "239.255.255.255",
                "240.0.0.0", // reserved
                "255.255.255.255", // broadcast
                "::", // unspecified
                "::ffff:0.0.0.0", // mapped
                "::ffff:169.254.169.254",
                "::127.0.0.1", // compatible
                "::8.8.8.8",
                "::ffff:0:7f00:1", // translated
                "64:ff9b::7f00:1", // NAT64
                "64:ff9b::808:808",
                "64:ff9b:1::a00:1", // local-use NAT64
                "100::1", // discard
                "2001::1", // Teredo
                "2001:0:7f00:1::",
                "2001:2::1", // benchmarking
                "2001:1ff:ffff::1",
                "2001:db8::1", // documentation
                "3fff::1",
                "2002:7f00:1::", // 6to4
                "2002:808:808::1",
                "4000::1", // not assigned
                "fc00::1", // unique local, never assigned
                "fd00:ec2::254", // metadata at Amazon
                "fd20:ce::254", // metadata at Google
                "fe80::1", // link-local
                "febf::1",
                "fec0::1", // site-local
                "ff02::1", // multicast
                "ff0e::1"
            })
    void these_are_never_dialled_nor_registered(String address) throws UnknownHostException {
        var resolved = InetAddress.getByName(address);

        assertThat(PRODUCTION.allows(resolved)).isFalse();
        assertThat(SAAS.allows(resolved)).isFalse();
        assertThat(DEVELOPMENT.allows(resolved)).isFalse();
        assertThat(REGISTERED.allows(resolved)).isFalse();
        assertThat(REGISTERED_SAAS.allows(resolved)).isFalse();
    }

    @Test
    void an_operator_opens_private_networks_and_nothing_else() throws Exception {
        var rules = PRODUCTION.opening(List.of("10.1.0.0/16", "fd12::/16"));

        assertThat(rules.allows(InetAddress.getByName("10.1.2.3"))).isTrue();
        assertThat(rules.allows(InetAddress.getByName("fd12::1"))).isTrue();
        assertThat(rules.allows(InetAddress.getByName("10.2.0.1"))).isFalse();
        assertThatThrownBy(() -> AddressRules.checkNetworks("LIST", List.of("10.1.0.0/16", "169.254.0.0/16")))
                .hasMessage("LIST: 169.254.0.0/16 is no private network such as 10.1.0.0/16");
        for (String wrong : List.of("10.0.0.0", "10.0.0.0/x", "0.0.0.0/0", "127.0.0.0/8", "10.0.0.0/33", "")) {
            assertThatThrownBy(() -> AddressRules.checkNetworks("LIST", List.of(wrong)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
