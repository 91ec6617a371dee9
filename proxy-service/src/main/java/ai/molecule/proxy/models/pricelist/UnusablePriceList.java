package ai.molecule.proxy.models.pricelist;

/** Why a price list is not taken, as the end of a sentence: {@code it is dated …}. */
final class UnusablePriceList extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnusablePriceList(String why) {
        super(why);
    }
}
