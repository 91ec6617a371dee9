package ai.molecule.proxy.leases;

/** A row in this replica's hands. */
public interface Leased {

    Claim held();
}
