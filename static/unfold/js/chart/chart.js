// In place of django-unfold's file of this name: Chart.js, 200 kB that every page of the
// administration would load and none of ours draws with.
