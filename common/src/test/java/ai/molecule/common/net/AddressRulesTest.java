package ai.molecule.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which addresses may be dialled and registered, and which never. */
class AddressRulesTest {

    private static final AddressRules PRODUCTION = AddressRules.forDialling(false, false);
    private static final AddressRules SAAS = AddressRules.forDialling(false, true);
    private static final AddressRules DEVELOPMENT = AddressRules.forDialling(true, false);

    @ParameterizedTest
    @ValueSource(strings = {"8.8.8.8", "93.184.216.34", "2606:4700::1111"})
    void public_addresses_are_always_allowed(String address) throws UnknownHostException {
        assertThat(PRODUCTION.allows(InetAddress.getByName(address))).isTrue();
        assertThat(AddressRules.forRegistration(false).allows(InetAddress.getByName(address)))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "169.254.169.254",
                "fe80::1",
                "192.0.2.1",
                "198.51.100.7",
                "203.0.113.9",
                "100.64.0.1",
                "100.127.255.255",
                "224.0.0.1",
                "255.255.255.255",
                "ff02::1",
                "fc00::1",
                "2001:db8::1",
                "::ffff:169.254.169.254",
                "64:ff9b::7f00:1",
                "2002:7f00:1::"
            })
    void these_are_never_dialled_anywhere(String address) throws UnknownHostException {
        assertThat(DEVELOPMENT.allows(InetAddress.getByName(address))).isFalse();
        assertThat(SAAS.allows(InetAddress.getByName(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fd00::1"})
    void private_ranges_are_for_saas_and_development(String address) throws UnknownHostException {
        assertThat(PRODUCTION.allows(InetAddress.getByName(address))).isFalse();
        assertThat(SAAS.allows(InetAddress.getByName(address))).isTrue();
        assertThat(DEVELOPMENT.allows(InetAddress.getByName(address))).isTrue();
        assertThat(AddressRules.forRegistration(false).allows(InetAddress.getByName(address)))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"})
    void loopback_is_dialled_in_development_only_and_never_registered(String address) throws UnknownHostException {
        assertThat(PRODUCTION.allows(InetAddress.getByName(address))).isFalse();
        assertThat(SAAS.allows(InetAddress.getByName(address))).isFalse();
        assertThat(DEVELOPMENT.allows(InetAddress.getByName(address))).isTrue();
        assertThat(AddressRules.forRegistration(true).allows(InetAddress.getByName(address)))
                .isFalse();
    }
}
