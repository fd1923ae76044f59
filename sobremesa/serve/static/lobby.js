// As many places are shown as there are players; without this script all are, and those too many do not count.
const seats = document.getElementById("seats"), places = [...document.querySelectorAll(".place")];

function show() {
  places.forEach((place, seat) => { place.hidden = seat >= Number(seats.value); });
}

// Only one of them is yours: whoever sat where you sit down takes your place.
for (const place of places) {
  const select = place.querySelector("select");
  let before = select.value;
  select.onchange = () => {
    if (select.value === "me") {
      const other = places.map(one => one.querySelector("select")).find(one => one !== select && one.value === "me");
      if (other) { other.value = before; other.dispatchEvent(new Event("taken")); }
    }
    before = select.value;
  };
  select.addEventListener("taken", () => { before = select.value; });
}
seats.onchange = show;
show();
