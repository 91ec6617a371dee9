/**
 * Every route of the four services, walked: {@code GuardsIT} with every kind of credential, {@code BadInputIT} with what no client
 * should send, {@code WhatActionsTouchIT} with what changes something, to see where. All read {@code routes.txt}, where each route has a row; a
 * route without one fails the tests.
 */
package ai.molecule.system.routes;
