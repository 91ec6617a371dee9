package ai.molecule.common.net;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Turns a host, a name or a literal, into all its addresses; may block. */
public interface NameLookup {

    /** As this machine is configured. */
    NameLookup SYSTEM = InetAddress::getAllByName;

    InetAddress[] addressesOf(String host) throws UnknownHostException;
}
