package ai.molecule.system;

import ai.molecule.canvas.Browser;
import java.nio.file.Path;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;

/** How a person does things on the page: with a mouse, or by keyboard alone. */
sealed interface Hand {

    /** A button, tab or the like that is called so. */
    void press(String css, String words);

    /** Into a field, over what is there, and Enter after it. */
    void write(String css, String words);

    /** In a choice. */
    void choose(String css, String words);

    /** An agent, and one of its tabs. */
    void open(String agent, String tab);

    /** One of the screens, by the words of its button and its key. */
    void turn(String screen, String key);

    /** Begins to move an agent, or a team, to another team. */
    void carry(String agent, String leader);

    /** To a moment, or a little before it: a line of minutes is as coarse as a hand. */
    void goBack(long millis, String shows);

    /** What the browser's own window would give. */
    default void give(Browser browser, String css, Path file) {
        browser.driver().findElement(By.cssSelector(css)).sendKeys(file.toString());
    }

    /** Points, clicks and drags; letters go where it clicked. */
    record Pointer(Browser browser) implements Hand {

        @Override
        public void press(String css, String words) {
            browser.named(css, words).click();
        }

        @Override
        public void write(String css, String words) {
            var field = browser.find(css);
            field.click();
            field.sendKeys(Keys.chord(Keys.CONTROL, "a"), words, Keys.ENTER);
        }

        @Override
        public void choose(String css, String words) {
            browser.find(css).sendKeys(words); // the list that a click opens is the system's own, not the page's
        }

        @Override
        public void open(String agent, String tab) {
            press("header button", "Map");
            press("button.card", agent);
            press("[role=tab]", tab);
        }

        @Override
        public void turn(String screen, String key) {
            press("header button", screen);
        }

        @Override
        public void carry(String agent, String leader) {
            press("header button", "Map");
            var from = browser.named("button.card", agent);
            var onto = browser.named("button.card", leader);
            new Actions(browser.driver())
                    .moveToElement(from, 20 - from.getSize().width / 2, 0)
                    .clickAndHold()
                    .moveToElement(onto, 30 - onto.getSize().width / 2, 5)
                    .moveByOffset(4, 0)
                    .perform();
            browser.see("may then talk to");
            new Actions(browser.driver()).release().perform();
        }

        @Override
        public void goBack(long millis, String shows) {
            var line = browser.find("time-bar input");
            double part = browser.json(
                            "const line = document.querySelector('time-bar input');"
                                    + "return (arguments[0] - Number(line.min)) / (Number(line.max) - Number(line.min)) - 0.01",
                            millis)
                    .asDouble();
            int width = line.getSize().width;
            new Actions(browser.driver())
                    .moveToElement(line, (int) Math.round(part * width - width / 2.0), 0)
                    .click()
                    .perform();
            browser.see(shows);
        }
    }

    /** Keys go to where the focus is; nothing is clicked, and nothing gets the focus but by Tab, arrows and the keys that {@code ?} lists. */
    record Keyboard(Browser browser) implements Hand {

        /** So many presses of Tab are more than anybody makes. */
        private static final int TABS_MAX = 120;

        private static final int STEPS_MAX = 900;

        @Override
        public void press(String css, String words) {
            browser.named(css, words); // nobody looks for what is not there yet
            tabTo(words);
            keys(Keys.ENTER);
        }

        @Override
        public void write(String css, String words) {
            tabToFitting(css);
            with(Keys.CONTROL, "a");
            keys(words, Keys.ENTER);
        }

        @Override
        public void choose(String css, String words) {
            tabToFitting(css);
            keys(words);
        }

        @Override
        public void open(String agent, String tab) {
            leaveTheBox();
            keys(Keys.ESCAPE, "l");
            browser.find("[role=treeitem]");
            tabToFitting("[role=treeitem]");
            keys(Keys.HOME);
            for (int i = 0; i < TABS_MAX && !focused().startsWith(agent + ","); i++) {
                keys(Keys.ARROW_DOWN);
            }
            keys(Keys.ENTER);
            browser.find("agent-panel [role=tab]");
            keys("t");
            for (int i = 0; i < 4 && !focused().equals(tab); i++) {
                keys(Keys.ARROW_RIGHT);
            }
        }

        @Override
        public void turn(String screen, String key) {
            leaveTheBox();
            keys(key);
        }

        @Override
        public void carry(String agent, String leader) {
            open(agent, "Settings");
            press("agent-panel button", "Move…");
            choose("dialog select", "Team of " + leader);
        }

        @Override
        public void goBack(long millis, String shows) {
            leaveTheBox();
            tabTo("Timeline. Drag back to see the past.");
            for (int i = 0; i < STEPS_MAX && !saysMoment(millis); i++) {
                keys(Keys.ARROW_LEFT);
            }
            browser.see(shows);
        }

        /** Whether the line is at that moment, give or take its steps of a second. */
        private boolean saysMoment(long millis) {
            return browser.json(
                            "return Number(document.querySelector('time-bar input').value) - arguments[0] < 1000",
                            millis)
                    .asBoolean();
        }

        private void keys(CharSequence... keys) {
            for (CharSequence key : keys) {
                new Actions(browser.driver()).sendKeys(key).perform();
            }
        }

        /** Both at once: a chord that is typed is its letters alone. */
        private void with(Keys held, CharSequence key) {
            new Actions(browser.driver())
                    .keyDown(held)
                    .sendKeys(key)
                    .keyUp(held)
                    .perform();
        }

        /** Letters are words in a box and commands outside of it. */
        private void leaveTheBox() {
            for (int i = 0; i < TABS_MAX && fits("input:not([type=range]), textarea, select"); i++) {
                with(Keys.SHIFT, Keys.TAB);
            }
        }

        private void tabTo(String words) {
            for (int i = 0; i < TABS_MAX; i++) {
                if (("\n" + focused()).contains("\n" + words)) {
                    return;
                }
                keys(Keys.TAB);
            }
            throw new AssertionError("not reached by Tab: " + words);
        }

        private void tabToFitting(String css) {
            browser.find(css);
            for (int i = 0; i < TABS_MAX && !fits(css); i++) {
                keys(Keys.TAB);
            }
            if (!fits(css)) {
                throw new AssertionError("not reached by Tab: " + css);
            }
        }

        private boolean fits(String css) {
            return browser.json("return document.activeElement.matches(arguments[0])", css)
                    .asBoolean();
        }

        /** What a person hears of it; of the whole page, or of a dialog in which nothing has the focus yet, nothing. All at once, for it may be drawn anew. */
        private String focused() {
            return browser.json(
                            "const one = document.activeElement;"
                                    + "return one.matches('body, dialog') ? '' : (one.getAttribute('aria-label') ?? one.innerText ?? '')")
                    .asText();
        }
    }
}
