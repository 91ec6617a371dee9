/**
 * The price list that an operator names ({@code MOLECULE_PRICE_LIST}), renewed without an upgrade: {@link
 * ai.molecule.proxy.models.pricelist.PriceLists} has one proxy look for a newer one once a day, and takes what is signed with the operator's
 * key, not older than what it has, and in the form of {@code models/prices.schema.json}. Whatever else comes changes nothing, and is told.
 */
@NullMarked
package ai.molecule.proxy.models.pricelist;

import org.jspecify.annotations.NullMarked;
