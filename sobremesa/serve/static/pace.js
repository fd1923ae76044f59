// The speed of the events, the sound and the title of the tab; the browser remembers the settings.
import {keep, kept} from "./memory.js";

const BEEP = 0.25;  // seconds

// Joins the controls to the queue.
export function setPace(queue, speed, sound, skip) {
  speed.value = kept("sobremesa.pause", "1000");
  if (!speed.value) speed.value = "1000";
  sound.checked = kept("sobremesa.sound", "no") === "yes";
  queue.set(Number(speed.value));
  speed.onchange = () => { keep("sobremesa.pause", speed.value); queue.set(Number(speed.value)); };
  sound.onchange = () => { keep("sobremesa.sound", sound.checked ? "yes" : "no"); if (sound.checked) beep(); };
  skip.onclick = () => queue.skip();
}

// Calls the person: in the title of the tab and, if it is switched on, by a sound.
export class Call {
  constructor(words, sound) {
    this.words = words;
    this.sound = sound;
    this.title = document.title;
    this.mine = null;
  }

  heed(frame) {
    const news = frame.over ? this.words.over : frame.mine ? this.words["your turn"] : "";
    document.title = news ? `${frame.over ? "" : "\u25cf "}${news} \u00b7 ${this.title}` : this.title;
    if (frame.mine && this.mine === false && this.sound.checked) beep();
    this.mine = frame.mine;
  }
}

let speaker = null;

function beep() {
  speaker ??= new AudioContext();
  speaker.resume();
  const tone = speaker.createOscillator(), volume = speaker.createGain(), now = speaker.currentTime;
  tone.frequency.value = 660;
  volume.gain.setValueAtTime(0.15, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + BEEP);
  tone.connect(volume).connect(speaker.destination);
  tone.start();
  tone.stop(now + BEEP);
}
