// Shows one place for each player; without this script all are shown and the extra ones are ignored.
const seats = document.getElementById("seats"), places = [...document.querySelectorAll(".place")];

function show() {
  places.forEach((place, seat) => { place.hidden = seat >= Number(seats.value); });
}

// You have one seat: its previous player moves to your old one.
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
