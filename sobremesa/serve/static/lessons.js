// The lessons of a guided deal. On a phone a lesson is shown in parts of four lines, so that it covers little.
import {write} from "../player/seats.js";

const PHONE = matchMedia("(max-width: 860px)");  // look.css
const END = /[.!?»”]$/;  // of a sentence
const MORE = "\u203a", CLOSE = "\u2715";
const AIR = 6;  // pixels below a lesson

export class Lessons {
  constructor(node, words, scene, over) {
    [this.node, this.words, this.scene, this.over] = [node, words, scene, over];
    this.text = node.querySelector("p");
    this.button = node.querySelector("#got");
    this.lesson = null;
    this.button.onclick = () => this.left.length ? this.turn() : this.node.classList.add("read");
    PHONE.addEventListener("change", () => this.begin());
  }

  // Shows `lesson` ("" without one) and, when the deal `ended`, what to play next, in the panel of the review.
  show(lesson, ended) {
    this.node.hidden = false;
    if (ended && this.node.classList.toggle("end", true) && this.over.previousSibling !== this.node) this.over.before(this.node);
    this.node.querySelector("form").hidden = !ended;
    if (this.lesson === lesson) return;
    this.lesson = lesson;
    this.node.classList.toggle("read", !lesson);  // on a phone it leaves the board
    this.begin();
    if (ended) this.node.scrollIntoView({block: "nearest"});
    else if (PHONE.matches && lesson) this.uncover();
  }

  begin() {
    this.left = (this.lesson || this.words["no lesson"]).split(" ");
    this.turn();
  }

  // Shows the words that are left, on a phone as many as fit, if possible to the end of a sentence.
  turn() {
    const {left} = this;
    let count = left.length;
    const fits = () => {
      write(this.text, left.slice(0, count).join(" "));
      return this.text.scrollHeight <= this.text.clientHeight;
    };
    if (PHONE.matches && !this.node.classList.contains("end")) {
      while (count > 1 && !fits()) count -= 1;
      if (count < left.length) count = left.slice(0, count).findLastIndex((word, at) => END.test(word) && at >= count / 2) + 1 || count;
    }
    fits();
    this.left = left.slice(count);
    this.button.textContent = this.left.length ? MORE : CLOSE;
    this.button.setAttribute("aria-label", this.left.length ? this.words["lesson on"] : this.words.got);
  }

  // Scrolls so that the lesson covers no thing that can be pointed at.
  uncover() {
    const foot = this.node.getBoundingClientRect().bottom + AIR;
    const tops = [...this.scene.querySelectorAll(".can .mark")].map(one => one.getBoundingClientRect().top);
    const covered = Math.min(...tops) - foot;
    if (covered < 0) scrollBy(0, covered);
  }
}
