package ai.molecule.system;

/**
 * A sentence of the specification, and how it is seen whether an agent keeps to it.
 *
 * @param section by the version and number
 */
record A2aDemand(String section, String what, Check check) {

    @FunctionalInterface
    interface Check {
        void of(A2aCaller agent) throws Exception;
    }
}
